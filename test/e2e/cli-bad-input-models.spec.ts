/** @file Bad input to `warm-start` and `eval`: a sentence, an exit code, and nothing half-written. */
import { mkdtempSync, readdirSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
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
