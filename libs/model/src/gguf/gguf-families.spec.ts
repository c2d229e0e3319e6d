/** @file Families and positions of GGUF files, against the package `gguf` and what llama.cpp does where a file says nothing. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { goldenFolder } from '@espalier/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parseModelConfig } from '../families/families.js';
import { loadModelFolder } from '../weights/model-folder.js';
import { exportGguf } from './export-gguf.js';
import { describeConfigMetadata } from './config-metadata.js';
import { architectureOf, findArchitecture } from './gguf-architecture.js';
import { describeConfig } from './gguf-config.js';
import { openGguf } from './gguf-file.js';
import { GgufMetadata } from './gguf-metadata.js';
import { importGguf } from './import-gguf.js';
import type { GgufValue } from './parse-gguf.js';

const golden = (name: string): string => join(goldenFolder('gguf'), name);
const family = (name: string): string => join(goldenFolder('families'), name);
const readJson = (path: string) => JSON.parse(readFileSync(path, 'utf8')) as Record<string, unknown>;

let folder = '';
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'gguf-'))));
afterEach(() => rmSync(folder, { recursive: true }));

/** Compares an exported file with one that the package `gguf` wrote: metadata of the model, and tensors in their order. */
function compareFiles(path: string, reference: string): void {
  const [found, expected] = [openGguf(path), openGguf(reference)];
  const id = expected.metadata.get('general.architecture') as string;
  // too few layers for one that sees the whole context, whose positions these are
  const unseen = ['gemma3.rope.freq_base', 'gemma3.rope.scaling.type', 'gemma3.rope.scaling.factor'];
  for (const [key, value] of expected.metadata)
    if (key.startsWith(`${id}.`) && !unseen.includes(key))
      expect(found.metadata.get(key), key).toEqual(value);
  expect([...found.tensors.keys()].sort()).toEqual([...expected.tensors.keys()].sort());
  for (const [name, tensor] of expected.tensors) {
    expect(found.tensors.get(name)!.shape).toEqual(tensor.shape);
    const size = tensor.shape.reduce((product, extent) => product * extent, 1);
    const [a, b] = [new Float32Array(size), new Float32Array(size)];
    found.read(found.tensors.get(name)!, 0, a);
    expected.read(tensor, 0, b);
    const largest = b.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
    a.forEach((value, i) => expect(Math.abs(value - b[i]!), name).toBeLessThan(largest * 2 ** -11));
  }
  found.close();
  expected.close();
}

describe('the family of a GGUF file', () => {
  const scaled = { rope_type: 'linear', factor: 4, rope_theta: 50000 };
  // what llama.cpp has in its code and these models have otherwise
  const fixed: readonly [name: string, change: object][] = [
    ['smollm3', { no_rope_layers: [1, 1, 1] }],
    ['olmo2', {}],
    ['gemma2', { query_pre_attn_scalar: 6 }],
    [
      'gemma3',
      {
        query_pre_attn_scalar: 6,
        layer_types: null,
        rope_parameters: { full_attention: scaled, sliding_attention: { rope_theta: 10000 } },
      },
    ],
  ];

  it.each(fixed)('%s has the weights and the shape of its checkpoint', async (name, change) => {
    const out = join(folder, 'model');
    await importGguf(golden(`family-${name}.gguf`), out, { dtype: 'float32' });
    const { config, weights } = loadModelFolder(out);
    const expected = loadModelFolder(family(name)).weights;
    expect([...weights.keys()].sort()).toEqual([...expected.keys()].sort());
    for (const [parameter, { data }] of expected) {
      const found = weights.get(parameter)!.data;
      const isShifted = name.startsWith('gemma') && parameter.endsWith('norm.weight');
      data.forEach((value, i) =>
        expect(Math.abs(value - found[i]!), parameter).toBeLessThanOrEqual(isShifted ? 2 ** -22 : 0),
      );
    }
    const shape = parseModelConfig({ ...readJson(join(family(name), 'config.json')), ...change }).shape;
    expect(config.shape).toEqual(shape);
    await exportGguf(out, join(folder, 'a.gguf'), { dtype: 'f16', name });
    compareFiles(join(folder, 'a.gguf'), golden(`family-${name}.gguf`));
  });

  it('has the scores of Gemma 27B scaled by its own size', () => {
    const config = (layers: number) =>
      configOf('family-gemma2.gguf', { 'gemma2.block_count': layers })['query_pre_attn_scalar'];
    expect([config(42), config(46)]).toEqual([6, 20 / 4]);
  });
});

/** config.json of a file with other metadata. */
function configOf(
  name: string,
  change: Readonly<Record<string, GgufValue>>,
  rotaryFactors?: Float32Array,
): Record<string, unknown> {
  const file = openGguf(golden(name));
  file.close();
  const all = { metadata: new Map([...file.metadata, ...Object.entries(change)]) };
  const metadata = new GgufMetadata(all, 'a.gguf');
  return describeConfig(findArchitecture(metadata), { metadata, tensors: file.tensors, rotaryFactors });
}

const llama = (change: Readonly<Record<string, GgufValue>>, factors?: Float32Array) =>
  configOf('byte-level.gguf', change, factors);

describe('attention and positions of a GGUF file', () => {
  it.each([
    [{ 'llama.rope.scaling.type': 'linear', 'llama.rope.scaling.factor': 4 }, 4],
    [{ 'llama.rope.scaling.factor': 4 }, 4],
    [{ 'llama.rope.scale_linear': 2 }, 2],
    [{ 'llama.rope.scaling.type': 'none', 'llama.rope.scaling.factor': 4 }, undefined],
    [{ 'llama.rope.scaling.type': 'linear' }, undefined],
    [{}, undefined],
  ])('are scaled as llama.cpp scales them: %j', (change, factor) => {
    const expected = factor === undefined ? undefined : { rope_type: 'linear', factor };
    expect(llama(change)['rope_scaling']).toEqual(expected);
  });

  it('are those of Llama 3 where the factors are', () => {
    const { llama3, plain } = readJson(join(goldenFolder('families'), 'rotary.json')) as Record<
      string,
      { angles: number[]; head_size: number }
    >;
    const base = 500000;
    const factors = Float32Array.from(llama3!.angles, (angle, i) => base ** ((-2 * i) / 64) / angle);
    expect(plain!.head_size).toBe(64);
    const sizes = {
      'llama.attention.key_length': 64,
      'llama.attention.value_length': 64,
      'llama.rope.dimension_count': 64,
      'llama.rope.freq_base': base,
    };
    const scaling = {
      rope_type: 'llama3',
      factor: expect.closeTo(32, 4),
      low_freq_factor: 1,
      high_freq_factor: 4,
      original_max_position_embeddings: 8192,
    };
    expect(llama(sizes, factors)['rope_scaling']).toEqual(scaling);
    expect(llama({}, new Float32Array(4).fill(1))['rope_scaling']).toBeUndefined();
    expect(() => llama({ ...sizes, 'llama.rope.scaling.factor': 2 }, factors)).toThrow(
      'llama.rope.scaling.factor is 2; expected 1 beside the tensor "rope_freqs.weight"',
    );
    factors[20]! *= 1.01;
    expect(() => llama(sizes, factors)).toThrow(
      'the tensor "rope_freqs.weight" scales positions as no known model does; take the model in safetensors',
    );
  });

  it.each<[Readonly<Record<string, GgufValue>>, string]>([
    [{ 'llama.rope.scaling.type': 'yarn' }, 'llama.rope.scaling.type is "yarn"; expected "none" or "linear"'],
    [{ 'llama.rope.scaling.attn_factor': 1.5 }, 'llama.rope.scaling.attn_factor is 1.5; expected 1'],
    [
      { 'llama.attention.sliding_window': 4 },
      'sliding_window is 4; a window is not supported in a GGUF file',
    ],
  ])('are refused where no key of config.json says the same: %j', (change, sentence) => {
    expect(() => llama(change)).toThrow(
      expect.objectContaining({
        code: 'model.unsupported_gguf',
        message: expect.stringContaining(sentence) as string,
      }),
    );
  });

  it('of Gemma have the pattern of their family only', () => {
    const key = 'gemma3.attention.sliding_window_pattern';
    expect(configOf('family-gemma3.gguf', { [key]: [true, true, true] })).toMatchObject({
      sliding_window: 6,
    });
    expect(() => configOf('family-gemma3.gguf', { [key]: [true, false, true] })).toThrow(/expected 6/);
  });
});

describe('heads that are not as wide as the model together', () => {
  it.each(['qwen2', 'olmo2'])('are refused for %s, which llama.cpp could not load', (name) => {
    const shape = readJson(join(family(name), 'config.json'));
    const describe = (head_dim: number) => {
      const config = parseModelConfig({ ...shape, head_dim });
      return describeConfigMetadata('model', config, architectureOf(config)!);
    };
    expect(() => describe(8)).toThrow(
      'model: head_dim 8, where llama.cpp takes hidden_size / num_attention_heads, is not written to GGUF',
    );
    expect(describe(4).metadata).toContainEqual([`${name}.attention.key_length`, ['uint32', 4]]);
  });
});
