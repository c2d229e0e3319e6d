/** @file Runs with LoRA from the outside: where their base comes from, and a run on the checkpoint of another one. */
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hashFile } from '@espalier/files';
import { removeFolder } from '@espalier/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { callCli } from '../support/call-cli.js';
import { saveTinyModel } from '../support/tiny-training.js';

let folder = '';
const cli = (...words: string[]) => callCli(words, { cwd: folder });
const at = (...parts: string[]): string => join(folder, ...parts);
const adapterOf = (run: string): string => at(run, 'checkpoints/step-000002/policy');

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'espalier-cli-lora-'));
  saveTinyModel(at('model'));
  const yaml = [
    'environment: { use: bandit }',
    'algorithm: { use: ppo, klCoefficient: 0.05 }',
    'model: { path: ./model }',
    'lora: { rank: 4 }',
    'steps: 2',
    'rollout: { promptsPerStep: 2, groupSize: 2, maxResponseTokens: 12 }',
    'validation: { every: 0, atStart: false, atEnd: false }',
  ];
  writeFileSync(at('run.yaml'), `${yaml.join('\n')}\n`);
  const { code, stderr } = await cli('train', 'run.yaml', '--out', 'first');
  expect([code, stderr]).toEqual([0, expect.any(String)]);
}, 120_000);
afterAll(() => removeFolder(folder));

describe('the checkpoint of a run with LoRA', () => {
  it('opens with the base that its run recorded, not with the one that the adapter names', async () => {
    writeFileSync(at('text.txt'), 'a text');
    const config = join(adapterOf('first'), 'adapter_config.json');
    const json = JSON.parse(readFileSync(config, 'utf8')) as Record<string, unknown>;
    expect(json['base_model_name_or_path']).toBe(at('model'));
    cpSync(at('first'), at('forged'), { recursive: true });
    const forged = join(adapterOf('forged'), 'adapter_config.json');
    writeFileSync(forged, JSON.stringify({ ...json, base_model_name_or_path: '/nowhere' }));
    for (const name of ['first', 'forged/checkpoints/step-000002/policy']) {
      const { code, stdout, stderr } = await cli('model', 'score', name, '--text', 'text.txt');
      expect([code, stderr]).toEqual([0, '']);
      expect(stdout).toContain('perplexity');
    }
    cpSync(adapterOf('first'), at('alone'), { recursive: true });
    const alone = await cli('model', 'score', 'alone', '--text', 'text.txt');
    expect(alone.code).toBe(3);
    expect(alone.stderr).toContain('in no checkpoint of a run that names its base; merge it');
    const words = ['eval', 'alone', 'run.yaml', '--episodes', '2', '--json', '--base', 'model'];
    expect((await cli(...words)).code).toBe(0);
    words[words.length - 1] = '{"path":"model"}';
    expect((await cli(...words)).code).toBe(0);
    words[words.length - 1] = '{"path":';
    expect((await cli(...words)).stdout).toContain('not JSON; write a model as in a spec');
  }, 120_000);

  it('is copied without the folders in it, and a copy that fails leaves nothing behind', async () => {
    cpSync(adapterOf('first'), at('peft'), { recursive: true });
    mkdirSync(at('peft/checkpoint-500'));
    const words = ['train', 'run.yaml', '--set', 'model={"path":"peft","base":{"path":"./model"}}'];
    expect((await cli(...words, '--out', 'peft/run')).code).toBe(0);
    expect(existsSync(at('peft/run/start/adapter_model.safetensors'))).toBe(true);
    for (const name of ['checkpoint-500', 'run', 'optimizer.safetensors'])
      expect(existsSync(at('peft/run/start', name))).toBe(false);
    // the last file of the folder cannot be read
    symlinkSync('zz', at('peft/zz'));
    mkdirSync(at('empty'));
    for (const out of ['made', 'empty']) {
      const { code, stderr } = await cli(...words, '--out', out);
      expect(code).not.toBe(0);
      expect(stderr).toContain('free disk space or fix permissions, then start it again');
    }
    expect([existsSync(at('made')), readdirSync(at('empty'))]).toEqual([false, []]);
  }, 120_000);

  it('lets another run continue its adapters, and resume when it is gone', async () => {
    const words = ['train', 'run.yaml', '--set', 'model.path=first', '--set', 'lora.rank=8'];
    expect((await cli(...words, '--set', 'steps=4', '--out', 'whole')).code).toBe(0);
    expect((await cli(...words, '--out', 'halves')).code).toBe(0);
    expect(existsSync(at('halves/start/adapter_model.safetensors'))).toBe(true);
    rmSync(at('first'), { recursive: true });
    const more = ['--set', 'steps=4', '--out', 'halves', '--resume'];
    cpSync(at('halves/start'), at('copy'), { recursive: true });
    cpSync(adapterOf('halves'), at('other'), { recursive: true });
    for (const name of ['other', 'nowhere']) {
      const { code, stderr } = await cli(...words, '--set', `model.path=${name}`, ...more);
      expect([code, stderr]).toEqual([3, expect.stringContaining('trainer.resume_mismatch')]);
      expect(stderr).toContain(`model.path is ${name}, the run began with the adapter first`);
    }
    const base = ['--set', 'model.base={"path":"nowhere"}'];
    expect((await cli(...words, ...base, ...more)).stderr).toContain('model.not_found');
    cpSync(at('halves'), at('moved'), { recursive: true });
    const named = ['--set', 'model={"path":"copy","base":{"path":"./model"}}', '--set', 'steps=4'];
    expect((await cli(...words, ...named, '--out', 'moved', '--resume')).code).toBe(0);
    const { code, stderr } = await cli(...words, ...more);
    expect([code, stderr]).toEqual([0, expect.not.stringContaining('error')]);
    const [whole, halves] = ['whole', 'halves'].map((run) =>
      hashFile(at(run, 'checkpoints/step-000004/policy/adapter_model.safetensors')),
    );
    expect(halves).toBe(whole);
    const spec = JSON.parse(readFileSync(at('halves/spec.json'), 'utf8')) as Record<string, unknown>;
    expect(spec['model']).toMatchObject({ base: { path: './model' } });
  }, 120_000);
});
