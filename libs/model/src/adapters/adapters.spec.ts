import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { goldenFolder } from '@espalier/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { loadModelConfig } from '../weights/model-config.js';
import { loadModelFolder } from '../weights/model-folder.js';
import { loadSafetensors, saveSafetensors } from '../weights/safetensors-file.js';
import { type AdapterBase, hashBase, loadAdapter, requireBase, saveAdapter } from './adapter-folder.js';
import { type LoraConfig, loraScale, targetedLayers } from './lora-config.js';
import { addLora } from './adapted-folder.js';
import { convertAdapter, mergeAdapter } from './merge-adapter.js';

const base = join(goldenFolder('families'), 'qwen2');
const golden = join(goldenFolder('adapters'), 'attention');
const weightsFile = 'adapter_model.safetensors';
const configFile = 'adapter_config.json';
const query = 'base_model.model.model.layers.0.self_attn.q_proj.lora_A.weight';

let folder = '';
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'adapter-'))));
afterEach(() => rmSync(folder, { recursive: true }));

/** A copy of the adapter that PEFT saved, with changes to its configuration. */
function copyWith(change: object = {}): string {
  const copy = join(folder, 'copy');
  cpSync(golden, copy, { recursive: true });
  const json = JSON.parse(readFileSync(join(copy, configFile), 'utf8')) as object;
  writeFileSync(join(copy, configFile), JSON.stringify({ ...json, ...change }));
  return copy;
}

/** The same with changes to its tensors. */
function copyWithTensors(change: (tensors: Map<string, { shape: number[]; data: Float32Array }>) => void) {
  const copy = copyWith();
  const tensors = loadSafetensors(join(copy, weightsFile)).tensors as never;
  change(tensors);
  saveSafetensors(join(copy, weightsFile), tensors);
  return copy;
}

const failure = (code: string, sentence: string) =>
  expect.objectContaining({ code, message: expect.stringContaining(sentence) });

describe('loadAdapter', () => {
  it('reads what PEFT saves', () => {
    const { config, base: from, layers, formats } = loadAdapter(golden);
    expect(config).toEqual({
      rank: 3,
      alpha: 7,
      rankStabilized: false,
      dropout: 0,
      targets: expect.arrayContaining(['q_proj', 'v_proj']),
    });
    expect(from).toEqual({ name: 'families/qwen2', sha256: undefined });
    expect([...layers.keys()].sort()).toEqual(
      [0, 1].flatMap((layer) => ['q', 'v'].map((name) => `model.layers.${layer}.self_attn.${name}_proj`)),
    );
    expect(layers.get('model.layers.1.self_attn.v_proj')).toMatchObject({
      a: { shape: [3, 16] },
      b: { shape: [8, 3] },
    });
    expect(formats).toEqual({ F32: 2 * (3 * 16 + 16 * 3 + 3 * 16 + 8 * 3) });
  });

  it.each([
    [
      { use_dora: true },
      'use_dora is true, which is not supported: it must be false; merge the adapter into its base with PEFT',
    ],
    [{ modules_to_save: ['lm_head'] }, 'modules_to_save is ["lm_head"], which is not supported'],
    [
      { rank_pattern: { q_proj: 8 } },
      'rank_pattern is {"q_proj":8}, which is not supported: it must be {}; merge the adapter into its base with PEFT',
    ],
    [{ alpha_pattern: { q_proj: 8 } }, 'alpha_pattern is {"q_proj":8}, which is not supported'],
    [{ layers_to_transform: [0] }, 'layers_to_transform is [0], which is not supported'],
    [{ lora_bias: true }, 'lora_bias is true, which is not supported'],
    [{ fan_in_fan_out: true }, 'fan_in_fan_out is true, which is not supported'],
    [{ some_day: { deep: 1 } }, 'some_day is {"deep":1}, which is not supported'],
    [{ bias: 'all' }, 'bias is "all"; expected "none"'],
    [{ peft_type: 'IA3' }, 'peft_type is "IA3"; expected "LORA"'],
    [{ task_type: 'SEQ_CLS' }, 'task_type is "SEQ_CLS"; expected "CAUSAL_LM"'],
    [{ r: 0 }, 'r is 0; '],
    [{ r: undefined }, 'r is missing; '],
    [{ lora_alpha: 'much' }, 'lora_alpha is "much"; expected number'],
    [{ target_modules: '.*_proj' }, 'target_modules is ".*_proj"; expected a list of names of layers'],
    [{ init_lora_weights: 'pissa' }, 'init_lora_weights is "pissa"; a start that changes the base'],
  ])('refuses %j', (change, sentence) => {
    expect(() => loadAdapter(copyWith(change))).toThrow(
      failure('model.unsupported_adapter', `${configFile}: ${sentence}`),
    );
  });

  it('refuses a configuration that is no object', () => {
    const copy = copyWith();
    writeFileSync(join(copy, configFile), '[]');
    expect(() => loadAdapter(copy)).toThrow(failure('model.unsupported_adapter', 'not a JSON object'));
  });

  it('names what is missing', () => {
    expect(() => loadAdapter(folder)).toThrow(
      failure('model.malformed_adapter', `there is no ${configFile}; name a folder that PEFT`),
    );
    const copy = copyWith();
    rmSync(join(copy, weightsFile));
    expect(() => loadAdapter(copy)).toThrow(failure('model.malformed_adapter', `there is no ${weightsFile}`));
    writeFileSync(join(copy, 'adapter_model.bin'), '');
    expect(() => loadAdapter(copy)).toThrow(/save the adapter with safe_serialization=True/);
  });

  it.each<[string, Parameters<typeof copyWithTensors>[0], string, string]>([
    ['a factor is missing', (t) => t.delete(query), 'malformed_adapter', `tensor "${query}" is missing`],
    ['no tensor at all', (t) => t.clear(), 'malformed_adapter', `${weightsFile} is empty`],
    [
      'another rank',
      (t) => t.set(query, { shape: [2, 16], data: new Float32Array(32) }),
      'malformed_adapter',
      `tensor "${query}" has the shape [2, 16]; the rank is 3`,
    ],
    [
      'NaN',
      (t) => (t.get(query)!.data[5] = NaN),
      'malformed_safetensors',
      `weight "${query}" is NaN at index 5`,
    ],
    [
      'a layer that is not targeted',
      (t) => t.set(query.replace('q_proj', 'k_proj'), t.get(query)!),
      'malformed_adapter',
      'is of a layer that target_modules does not name',
    ],
    [
      'a whole weight',
      (t) => t.set('base_model.model.lm_head.weight', t.get(query)!),
      'malformed_adapter',
      'tensor "base_model.model.lm_head.weight" is neither lora_A nor lora_B of a layer',
    ],
  ])('refuses %s', (_what, change, code, sentence) => {
    expect(() => loadAdapter(copyWithTensors(change))).toThrow(failure(`model.${code}`, sentence));
  });

  it('refuses a tensor that is there twice', () => {
    const copy = copyWith();
    const bytes = readFileSync(join(copy, weightsFile)).toString('latin1');
    const other = query.replace('lora_A', 'lora_B');
    writeFileSync(join(copy, weightsFile), Buffer.from(bytes.replace(other, query), 'latin1'));
    expect(() => loadAdapter(copy)).toThrow(
      failure('model.malformed_safetensors', `the key "${query}" twice`),
    );
  });
});

describe('requireBase', () => {
  const require = (from: AdapterBase = {}, other = base) =>
    requireBase({ ...loadAdapter(golden), base: from }, 'adapter', loadModelConfig(other), other);

  it('takes the base, and a copy of it with the recorded weights', () => {
    const copy = join(folder, 'base');
    cpSync(base, copy, { recursive: true });
    require({ sha256: hashBase(base) }, copy);
    require();
  });

  it('refuses other shapes, other layers, other weights and another name', () => {
    const mismatch = (sentence: string) => failure('model.adapter_mismatch', sentence);
    const family = (name: string) => join(goldenFolder('families'), name);
    expect(() => require({ name: 'org/it' }, family('gemma2'))).toThrow(
      mismatch('it was trained on org/it; name that model'),
    );
    expect(() => require({}, family('smollm3'))).toThrow(
      mismatch('it has no weights for "model.layers.2.self_attn.q_proj" of'),
    );
    expect(() => require({ sha256: '0'.repeat(64) })).toThrow(
      mismatch('are not those that it was trained on (their sha256 differs); name the model'),
    );
    const snapshot = join(folder, 'models--Qwen--Qwen2.5-0.5B', 'snapshots', 'abc');
    cpSync(base, snapshot, { recursive: true });
    require({ name: 'qwen/Qwen2.5-0.5B' }, snapshot);
    expect(() => require({ name: 'Qwen/Qwen2.5-0.5B-Instruct' }, snapshot)).toThrow(
      mismatch('is Qwen/Qwen2.5-0.5B; it was trained on Qwen/Qwen2.5-0.5B-Instruct'),
    );
  });
});

describe('targetedLayers', () => {
  const model = loadModelConfig(base);
  it('matches whole names and last parts, never the embedding', () => {
    const names = (targets: LoraConfig['targets']) => [...targetedLayers(model, targets).keys()];
    expect(names('all-linear')).toHaveLength(2 * 7);
    expect(names(['lm_head'])).toEqual(['lm_head']);
    expect(names(['self_attn.q_proj', 'proj', 'embed_tokens'])).toEqual([
      'model.layers.0.self_attn.q_proj',
      'model.layers.1.self_attn.q_proj',
    ]);
    expect(targetedLayers(model, ['model.layers.1.mlp.down_proj'])).toEqual(
      new Map([['model.layers.1.mlp.down_proj', [16, 24]]]),
    );
  });
});

describe('merging', () => {
  const layer = {
    a: { shape: [2, 3], data: Float32Array.of(1, 2, 3, 4, 5, 6) },
    b: { shape: [2, 2], data: Float32Array.of(1, 0, 10, 1) },
  };

  it('adds scale · B·A, to any part of a weight', () => {
    const whole = new Float32Array(6).fill(0.5);
    addLora(whole, layer, 2);
    expect([...whole]).toEqual([2.5, 4.5, 6.5, 28.5, 50.5, 72.5]);
    for (let from = 0; from < 6; from++) {
      const part = new Float32Array(6 - from).fill(0.5);
      addLora(part, layer, 2, from);
      expect(part).toEqual(whole.subarray(from));
    }
  });

  it('scales by alpha over the rank, or its root', () => {
    const config = { rank: 16, alpha: 32, rankStabilized: false, dropout: 0, targets: ['q_proj'] };
    expect(loraScale(config)).toBe(2);
    expect(loraScale({ ...config, rankStabilized: true })).toBe(8);
  });

  it('changes the targeted weights only and leaves nothing of a merge that fails', async () => {
    const target = join(folder, 'merged');
    await mergeAdapter(base, golden, target, { dtype: 'float32' });
    const [before, after] = [loadModelFolder(base).weights, loadModelFolder(target).weights];
    const changed = [...before].filter(([name, { data }]) =>
      data.some((value, i) => value !== after.get(name)!.data[i]),
    );
    expect(changed.map(([name]) => name).sort()).toEqual(
      [...loadAdapter(golden).layers.keys()].map((name) => `${name}.weight`).sort(),
    );
    const diverged = copyWithTensors((tensors) => {
      for (const { data } of tensors.values()) data.fill(1e38);
    });
    await expect(mergeAdapter(base, diverged, join(folder, 'new'), { dtype: 'float32' })).rejects.toThrow(
      failure('model.malformed_adapter', 'it gives Infinity at 0; the adapter has diverged'),
    );
    expect(readdirSync(folder).sort()).toEqual(['copy', 'merged']);
  });

  it('keeps the terms of the base and what a warm start taught it, not the card of another model', async () => {
    const own = join(folder, 'taught');
    cpSync(base, own, { recursive: true });
    for (const name of ['README.md', 'LICENSE', 'warm-start.json']) writeFileSync(join(own, name), name);
    await mergeAdapter(own, golden, join(folder, 'merged-taught'), { dtype: 'float32' });
    const files = readdirSync(join(folder, 'merged-taught'));
    expect(files).toEqual(expect.arrayContaining(['LICENSE', 'warm-start.json']));
    expect(files).not.toContain('README.md');
  });
});

describe('saving', () => {
  it('gives the same adapter and records its base', async () => {
    const adapter = loadAdapter(golden);
    const target = join(folder, 'saved');
    saveAdapter(target, { ...adapter, base: { name: 'org/base', sha256: 'ab' }, dtype: 'float32' });
    expect(loadAdapter(target)).toMatchObject({
      config: adapter.config,
      layers: adapter.layers,
      base: { name: 'org/base', sha256: 'ab' },
    });
    // as in a checkpoint
    writeFileSync(join(target, 'config.json'), '{}');
    writeFileSync(join(target, 'README.md'), '# card');
    writeFileSync(join(target, 'LICENSE.txt'), 'terms');
    mkdirSync(join(target, 'README-pictures'));
    mkdirSync(join(folder, 'half'));
    await convertAdapter(target, join(folder, 'half'), { dtype: 'bfloat16' });
    const copied = ['config.json', 'README.md', 'LICENSE.txt'].map((name) =>
      readFileSync(join(folder, 'half', name), 'utf8'),
    );
    expect(copied).toEqual(['{}', '# card', 'terms']);
    const half = loadAdapter(join(folder, 'half'));
    expect(half).toMatchObject({ config: adapter.config, base: { sha256: 'ab' } });
    expect(Object.keys(half.formats)).toEqual(['BF16']);
  });
});
