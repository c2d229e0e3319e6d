/** @file Bad input to `warm-start` and `eval`: a sentence, an exit code, and nothing half-written. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadSafetensors, saveSafetensors } from '@espalier/model';
import { removeFolder } from '@espalier/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { callCli } from '../support/call-cli.js';
import { writeTinyModel } from '../support/tiny-model.js';

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'espalier-bad-models-'));
  writeTinyModel(join(folder, 'tiny'));
  truncateSync(join(writeTinyModel(join(folder, 'cut')), 'model.safetensors'), 5000);
});
afterAll(() => removeFolder(folder));

/** Runs a command on a configuration; whatever happens, nothing new may lie there afterwards. */
async function refuse(words: readonly string[], yaml: string) {
  writeFileSync(join(folder, 'config.yaml'), yaml);
  const before = readdirSync(folder);
  const result = await callCli([...words, 'config.yaml'], { cwd: folder });
  expect(readdirSync(folder)).toEqual(before);
  expect(result.stdout).toBe('');
  expect(result.stderr).not.toMatch(/\n\s+at /);
  return result;
}

const demonstration = 'demonstrations: [{ environment: { use: bandit }, noise: 1 }]\n';
const run = 'environment: { use: bandit }\nalgorithm: { use: grpo }\n';

describe('espalier warm-start with bad input', () => {
  it.each([
    [
      'an unknown key',
      `${demonstration}tokenz: 5\n`,
      3,
      'config.unknown_key: config.yaml:2:1: unknown key tokenz',
    ],
    [
      'a wrong type',
      `${demonstration}tokens: many\n`,
      3,
      'config.wrong_type: config.yaml:2:1: tokens is "many"',
    ],
    ['a plugin that is not installed', demonstration.replace('bandit', 'bandits'), 4, 'did you mean bandit?'],
    ['a malformed model', `${demonstration}model: { path: ./cut }\n`, 3, 'model.malformed_safetensors: '],
    [
      'no model',
      `${demonstration}model: { path: ./none }\n`,
      4,
      'model.not_found: open model "./none": no such folder',
    ],
  ])('refuses %s', async (_what, yaml, exit, sentence) => {
    const { code, stderr } = await refuse(['warm-start'], yaml);
    expect(stderr).toContain(sentence);
    expect(code).toBe(exit);
  });
});

type Tensor = Parameters<typeof saveSafetensors>[1] extends ReadonlyMap<string, infer Entry> ? Entry : never;

describe('a model that cannot be used', () => {
  const weights = () => loadSafetensors(join(folder, 'tiny', 'model.safetensors')).tensors;
  /** The files of a model with its weights in two shards, of which the second may be changed or left out. */
  function writeShards(
    name: string,
    change: (second: Map<string, Tensor>) => Map<string, Tensor> | undefined,
  ) {
    const path = writeTinyModel(join(folder, name));
    const all: [string, Tensor][] = [...weights()];
    const half = all.length >> 1;
    const files = ['model-00001-of-00002.safetensors', 'model-00002-of-00002.safetensors'] as const;
    const second = change(new Map(all.slice(half)));
    saveSafetensors(join(path, files[0]), new Map(all.slice(0, half)));
    if (second !== undefined) saveSafetensors(join(path, files[1]), second);
    const weight_map = Object.fromEntries(all.map(([tensor], i) => [tensor, files[i < half ? 0 : 1]]));
    writeFileSync(join(path, 'model.safetensors.index.json'), JSON.stringify({ weight_map }));
    rmSync(join(path, 'model.safetensors'));
  }
  function changeWeight(name: string, change: (tensor: Tensor) => Tensor) {
    const tensors = new Map<string, Tensor>(weights());
    const [first, tensor] = [...tensors][0]!;
    saveSafetensors(
      join(writeTinyModel(join(folder, name)), 'model.safetensors'),
      tensors.set(first, change(tensor)),
    );
  }
  function changeTokenizer(name: string, chat_template: string | undefined) {
    const path = join(writeTinyModel(join(folder, name)), 'tokenizer_config.json');
    writeFileSync(
      path,
      JSON.stringify({ ...(JSON.parse(readFileSync(path, 'utf8')) as object), chat_template }),
    );
  }
  const zeros = { shape: [1], data: new Float32Array(1) };
  const models: Readonly<Record<string, () => void>> = {
    'whole-shards': () => writeShards('whole-shards', (second) => second),
    'missing-shard': () => writeShards('missing-shard', () => undefined),
    'foreign-shard': () =>
      writeShards(
        'foreign-shard',
        (second) => new Map<string, Tensor>([...second].map(([name]) => [name, zeros])),
      ),
    'other-names': () => writeShards('other-names', () => new Map<string, Tensor>([['other', zeros]])),
    integers: () =>
      changeWeight('integers', ({ shape, data }) => ({
        dtype: 'I64',
        shape,
        data: new BigInt64Array(data.length),
      })),
    'not-a-number': () =>
      changeWeight('not-a-number', ({ shape, data }) => ({
        shape,
        data: new Float32Array(data.length).fill(NaN),
      })),
    'no-template': () => changeTokenizer('no-template', undefined),
    'one-piece': () => changeTokenizer('one-piece', '{{ messages | tojson }}'),
  };
  beforeAll(() => Object.values(models).forEach((write) => write()));
  const yaml = (name: string) =>
    `${run}model: { path: ./${name} }\nsteps: 1\nrollout: { promptsPerStep: 1, groupSize: 2, maxResponseTokens: 4 }\n`;
  const copy = /; copy or download /;

  it.each([
    ['missing-shard', 'model.malformed_config', copy],
    ['foreign-shard', 'model.malformed_config', copy],
    ['other-names', 'model.malformed_config', /: copy or download all of one/],
    [
      'integers',
      'model.malformed_config',
      /: take the model's weights as they were before they were quantized/,
    ],
    ['no-template', 'model.malformed_tokenizer', /; give "chat_template"/],
    ['one-piece', 'rollout.unsupported_template', /; choose a model whose template/],
  ])('is refused by plan and train with the remedy, and leaves nothing: %s', async (name, code, remedy) => {
    for (const command of ['plan', 'train']) {
      const { code: exit, stderr } = await refuse([command], yaml(name));
      expect(stderr).toContain(`error ${code}: `);
      expect(stderr).toMatch(remedy);
      expect(exit).toBe(3);
    }
  });

  it('is refused by train where only its numbers are wrong', async () => {
    const { code, stderr } = await refuse(['train'], yaml('not-a-number'));
    expect(stderr).toMatch(/error model\.malformed_safetensors: .* is NaN at index 0; .*copy or download/);
    expect(code).toBe(3);
  });

  it('is planned where nothing is wrong with its shards', async () => {
    writeFileSync(join(folder, 'config.yaml'), yaml('whole-shards'));
    expect((await callCli(['plan', 'config.yaml'], { cwd: folder })).code).toBe(0);
  });
});

describe('espalier eval with bad input', () => {
  it.each([
    [
      'an unknown key',
      './tiny',
      `${run}stepz: 3\n`,
      'config.unknown_key: config.yaml:3:1: unknown key stepz',
    ],
    ['a wrong type', './tiny', `${run}steps: many\n`, 'config.wrong_type: config.yaml:3:1: steps is "many"'],
    ['a malformed model', './cut', run, 'model.malformed_safetensors: '],
  ])('refuses %s', async (_what, model, yaml, sentence) => {
    const { code, stderr } = await refuse(['eval', model], yaml);
    expect(stderr).toContain(sentence);
    expect(code).toBe(3);
  });
});
