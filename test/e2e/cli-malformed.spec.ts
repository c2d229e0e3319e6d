/** @file Malformed files: one typed error that names the file, soon, and nothing left behind. */
import { cpSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { removeFolder } from '@espalier/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { callCli } from '../support/call-cli.js';
import { writeTinyModel } from '../support/tiny-model.js';

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'espalier-malformed-'));
  writeTinyModel(join(folder, 'good'));
});
afterAll(() => removeFolder(folder));

const run = 'environment: { use: bandit }\nalgorithm: { use: grpo }\nmodel: { path: ./model }\n';
let count = 0;

interface Case {
  readonly words?: readonly string[];
  readonly yaml?: string | Uint8Array;
  readonly damage?: (model: string) => void;
}

/** Runs a command in a folder of its own; the same must lie there afterwards. */
async function refuse({ words = ['plan', 'run.yaml'], yaml = run, damage }: Case) {
  const cwd = join(folder, `case-${++count}`);
  const model = join(cwd, 'model');
  cpSync(join(folder, 'good'), model, { recursive: true });
  damage?.(model);
  writeFileSync(join(cwd, 'run.yaml'), yaml);
  const list = (): string[] => readdirSync(cwd, { recursive: true }).map(String).sort();
  const before = list();
  const result = await callCli(words, { cwd });
  expect(list()).toEqual(before);
  expect(result.stdout).toBe('');
  expect(result.stderr).not.toMatch(/\n\s+at /);
  expect(result.stderr.length).toBeLessThan(10_000);
  return result;
}

type Json = Record<string, unknown>;

const edit =
  (file: string, change: (value: Json) => unknown) =>
  (model: string): void => {
    const path = join(model, file);
    const value = JSON.parse(readFileSync(path, 'utf8')) as Json;
    writeFileSync(path, JSON.stringify(change(value)));
  };
const write =
  (file: string, text: string) =>
  (model: string): void =>
    writeFileSync(join(model, file), text);
const withConfig = (change: Json) => edit('config.json', (config) => ({ ...config, ...change }));
const withModel = (change: Json) =>
  edit('tokenizer.json', (value) => ({ ...value, model: { ...(value['model'] as Json), ...change } }));

describe.concurrent('a malformed configuration', () => {
  const lines = ['a0: &a0 [x,x,x,x,x,x,x,x,x]'];
  for (let i = 1; i < 10; i++)
    lines.push(
      `a${i}: &a${i} [${Array(9)
        .fill(`*a${i - 1}`)
        .join(',')}]`,
    );
  it.each<[string, string | Uint8Array, string]>([
    ['aliases that multiply', lines.join('\n'), 'config.unreadable: run.yaml: '],
    ['ten megabytes', `${run}# ${'x'.repeat(10 * 2 ** 20)}`, 'the limit is 65536'],
    [
      'thousands of unknown keys',
      run + Array.from({ length: 6000 }, (_, i) => `k${i}:\n`).join(''),
      'unknown key k0',
    ],
    ['bytes that are no text', Uint8Array.of(0x61, 0x3a, 0x20, 0xff, 0xfe), 'run.yaml: not UTF-8 text'],
    ['nothing in it', '', 'run.yaml: environment is missing; expected type object: { use: … }'],
    ['a list at the top', '- a\n', 'run.yaml: the top level is not a mapping'],
    ['a tab', 'environment:\n\tuse: bandit\n', 'run.yaml:2:1: Tabs'],
    ['a prototype', `${run}rollout: { __proto__: { groups: 1 } }\n`, 'unknown key rollout.__proto__'],
    ['a key that steers terminals', `${run}"\\e[31m": 1\n`, 'unknown key \\u001b[31m'],
  ])('with %s', async (_what, yaml, sentence) => {
    const { code, stderr } = await refuse({ yaml });
    expect(stderr).toContain(sentence);
    expect(code).toBe(3);
  });
});

describe.concurrent('a malformed model', () => {
  it.each<[string, (model: string) => void, string]>([
    [
      'a tokenizer of another kind',
      withModel({ type: 'Magic' }),
      'tokenizer.json has a model of type "Magic"',
    ],
    ['a tokenizer without vocabulary', withModel({ vocab: {} }), 'tokenizer.json has an empty "vocab"'],
    ['an id out of range', withModel({ vocab: { a: -1 } }), 'tokenizer.json gives token "a" the id -1'],
    ['a config that is not JSON', write('config.json', '{'), 'config.json: not JSON; copy or download'],
    [
      'no width',
      withConfig({ hidden_size: undefined }),
      'model/config.json: hidden_size is missing; expected number',
    ],
    ['a negative width', withConfig({ hidden_size: -32 }), 'config.json: hidden_size is -32; expected'],
    ['a billion layers', withConfig({ num_hidden_layers: 1e9 }), 'num_hidden_layers is 1000000000; expected'],
    [
      'an endless context',
      withConfig({ max_position_embeddings: 1e12 }),
      'max_position_embeddings is 1000000000000',
    ],
    [
      'stretched positions',
      withConfig({ rope_scaling: { type: 'dynamic', factor: 2 } }),
      'rope_type "dynamic" is not supported',
    ],
    ['a sliding window', withConfig({ sliding_window: 16 }), 'sliding_window 16 is not supported'],
    [
      'heads that do not divide',
      withConfig({ num_attention_heads: 3, num_key_value_heads: 3 }),
      'head size 10.6',
    ],
  ])('with %s', async (_what, damage, sentence) => {
    const { code, stderr } = await refuse({ damage });
    expect(stderr).toMatch(/^error model\./);
    expect(stderr).toContain(sentence);
    expect(code).toBe(3);
  });

  it('with NaN among its weights', async () => {
    const damage = (model: string): void => {
      const path = join(model, 'model.safetensors');
      const bytes = readFileSync(path);
      bytes.writeFloatLE(NaN, bytes.length - 4);
      writeFileSync(path, bytes);
    };
    const { code, stderr } = await refuse({ words: ['eval', './model', 'run.yaml'], damage });
    expect(stderr).toMatch(/error model\.malformed_safetensors: .*weight "[\w.]+" is NaN at index \d+/);
    expect(code).toBe(3);
  });
});
