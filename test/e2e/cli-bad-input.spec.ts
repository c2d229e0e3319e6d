/** @file Bad input in files and options: a sentence, an exit code, and nothing half-written. */
import { existsSync, mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { removeFolder } from '@espalier/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { callCli } from '../support/call-cli.js';
import { writeTinyModel } from '../support/tiny-model.js';

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'espalier-bad-input-'));
  writeTinyModel(join(folder, 'tiny'));
});
afterAll(() => removeFolder(folder));

const good = 'environment: { use: bandit }\nalgorithm: { use: grpo }\nmodel: { path: ./tiny }\n';

/** Trains with a configuration; whatever happens, no run may lie there afterwards. */
async function refuse(yaml: string, words: readonly string[] = []) {
  writeFileSync(join(folder, 'run.yaml'), yaml);
  const result = await callCli(['train', 'run.yaml', ...words], { cwd: folder });
  const left = existsSync(join(folder, 'runs'))
    ? rmSync(join(folder, 'runs'), { recursive: true })
    : undefined;
  expect(left).toBeUndefined();
  expect(result.stdout).toBe('');
  expect(result.stderr).not.toMatch(/\n\s+at /);
  return result;
}

describe('espalier train with bad input', () => {
  it.each([
    [
      'an unknown key',
      `${good}stepz: 3\n`,
      [],
      'config.unknown_key: run.yaml:4:1: unknown key stepz; did you mean steps?',
    ],
    [
      'an unknown nested key',
      `${good}rollout: { groupsize: 2 }\n`,
      [],
      'unknown key rollout.groupsize; did you mean groupSize?',
    ],
    [
      'an unknown option of a plugin',
      good.replace('grpo', 'grpo, clipHihg: 1'),
      [],
      'unknown key algorithm.clipHihg; did you mean clipHigh?',
    ],
    [
      'an unknown path in --set',
      good,
      ['--set', 'update.epoch=2'],
      '--set: unknown key update.epoch; did you mean epochs?',
    ],
    [
      'a wrong type',
      `${good}steps: many\n`,
      [],
      'config.wrong_type: run.yaml:4:1: steps is "many"; expected a whole number',
    ],
    [
      'a value out of range',
      `${good}rollout: { temperature: -1 }\n`,
      [],
      'rollout.temperature is -1; expected more than 0',
    ],
    ['a derived value', `${good}derived: { episodes: 1 }\n`, [], 'config.derived_key'],
    ['a batch that does not divide', `${good}update: { miniBatches: 3 }\n`, [], 'cannot be split evenly'],
    [
      'a context longer than the model',
      `${good}rollout: { contextTokens: 4096 }\n`,
      [],
      'the context length of the model is 1024 tokens',
    ],
    ['a key given twice', `${good}model: { path: ./tiny }\n`, [], 'config.unreadable: run.yaml:4:1'],
  ])('refuses %s', async (_what, yaml, words, sentence) => {
    const { code, stderr } = await refuse(yaml, words);
    expect(stderr).toContain(sentence);
    expect(code).toBe(3);
  });

  it('refuses a plugin that is not installed, naming the nearest', async () => {
    const { code, stderr } = await refuse(good.replace('bandit', 'bandits'));
    expect(stderr).toContain(
      'error plugin.not_found: run.yaml:1:16: no environment "bandits" is installed; did you mean bandit?',
    );
    expect(code).toBe(4);
  });

  it.each([
    // the last tokens are special ones that no run uses, so the weights decide
    [380, 'has the shape [384, 32]; config.json asks for [380, 32]'],
    [300, 'config.json: eos_token_id 301 is no token; expected an id below the vocab_size 300'],
  ])('refuses a vocab_size below that of the weights or the tokenizer: %i', async (rows, sentence) => {
    const model = writeTinyModel(join(folder, 'mismatch'));
    const path = join(model, 'config.json');
    writeFileSync(path, readFileSync(path, 'utf8').replace('"vocab_size": 384', `"vocab_size": ${rows}`));
    const { code, stderr } = await refuse(good.replace('./tiny', './mismatch'));
    expect(stderr).toContain(sentence);
    expect(code).toBe(3);
  });

  it('refuses a cut-off safetensors file and removes the folder it had made', async () => {
    const model = writeTinyModel(join(folder, 'cut'));
    truncateSync(join(model, 'model.safetensors'), 5000);
    const { code, stderr } = await refuse(good.replace('./tiny', './cut'), ['--out', 'fresh']);
    expect(stderr).toContain('error model.malformed_safetensors: ');
    expect(code).toBe(3);
    expect(existsSync(join(folder, 'fresh'))).toBe(false);
  });

  it.each([
    ['a file', 'file', 'write to file: '],
    ['a folder below a file', 'file/run', 'write to file/run: '],
  ])('refuses %s as --out', async (_what, out, sentence) => {
    writeFileSync(join(folder, 'file'), 'mine');
    const { code, stderr } = await refuse(good, ['--out', out]);
    expect(stderr).toContain(`error cli.unusable_folder: ${sentence}`);
    expect(code).toBe(3);
    expect(readFileSync(join(folder, 'file'), 'utf8')).toBe('mine');
  });

  it('takes back every folder it had made for a run that cannot start', async () => {
    const model = writeTinyModel(join(folder, 'short'));
    truncateSync(join(model, 'model.safetensors'), 5000);
    await refuse(good.replace('./tiny', './short'), ['--out', 'new/deep/run']);
    expect(existsSync(join(folder, 'new'))).toBe(false);
  });

  it('refuses a folder as configuration', async () => {
    const { code, stderr } = await callCli(['plan', 'tiny'], { cwd: folder });
    expect(stderr).toContain('error config.unreadable: tiny: it is a folder; name a readable YAML file');
    expect([code, stderr]).toEqual([3, expect.not.stringContaining('hint')]);
  });

  it('hints at a place where options are listed', async () => {
    writeFileSync(join(folder, 'run.yaml'), good);
    const planned = await callCli(['plan', 'run.yaml', '--set', 'nope=1'], { cwd: folder });
    expect(planned.stderr).toMatch(
      /hint {2}all options: .*run-spec\.schema\.json; those of plugins: .*plugins\.md/,
    );
    const shown = await callCli(['env', 'show', 'sokoban', '--seeds', '1', '--params', '{"boxs": 1}']);
    expect(shown.stderr).toMatch(/hint {2}options of each environment: .* plugins --json/);
  });

  it('says what is missing: configuration, model, run to resume', async () => {
    const missing = await callCli(['plan', 'none.yaml'], { cwd: folder });
    expect([missing.code, missing.stderr]).toEqual([4, expect.stringContaining('none.yaml: no such file')]);
    expect((await refuse(good.replace('./tiny', './none'))).code).toBe(4);
    const resumed = await refuse(good, ['--resume']);
    expect([resumed.code, resumed.stderr]).toEqual([4, expect.stringContaining('cli.run_not_found')]);
  });

  it.each([
    [['bogus'], 'error cli.usage: unknown command "bogus"'],
    [['trian'], 'error cli.usage: unknown command "trian"; did you mean train?'],
    [['plan'], 'error cli.usage: missing required argument "config"'],
    [['model', 'score', 'm'], 'error cli.usage: required option "--text <file>" not specified'],
  ])('says of the command line %j what is wrong, once', async (words, sentence) => {
    const told = await callCli(words);
    expect(told.stderr.split('\n')[0]).toBe(sentence);
    expect(told.stderr).toMatch(/^hint {2}.*--help lists commands and options$/m);
    if (words[0] === 'model') expect(told.stderr).toMatch(/^hint {2}.* model score --help lists/m);
    const asJson = await callCli([...words, '--json']);
    expect([told.code, asJson.code, asJson.stderr]).toEqual([2, 2, '']);
    expect(JSON.parse(asJson.stdout)).toMatchObject({ error: { code: 'cli.usage' } });
  });

  it('asks whether a model of nearly that name was meant', async () => {
    writeFileSync(join(folder, 'run.yaml'), good);
    const { code, stderr } = await callCli(['eval', 'seedlin', 'run.yaml'], { cwd: folder });
    expect(stderr).toContain(
      'error model.not_found: open model "seedlin": no such folder; did you mean seedling?',
    );
    expect(code).toBe(4);
  });

  it('gives programs one JSON object', async () => {
    writeFileSync(join(folder, 'run.yaml'), `${good}stepz: 3\n`);
    const bad = await callCli(['plan', 'run.yaml', '--json'], { cwd: folder });
    expect(JSON.parse(bad.stdout)).toMatchObject({ error: { code: 'config.unknown_key', exitCode: 3 } });
    const usage = await callCli(['plan', '--json']);
    expect(JSON.parse(usage.stdout)).toMatchObject({ error: { code: 'cli.usage', exitCode: 2 } });
    expect([bad.code, usage.code]).toEqual([3, 2]);
  });
});
