import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Device } from '@espalier/protocol';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { makeAssignment } from '../../../../test/support/assignment.js';
import { createAttemptFolder } from './attempt-folder.js';
import { listSlots } from '../devices/devices.js';
import { loadWorkerOptions } from '../worker-options.js';
import { planEnvironment, planEvaluation, planTraining } from './plan-launch.js';

let root = '';
beforeEach(() => void (root = mkdtempSync(join(tmpdir(), 'espalier-plan-'))));
afterEach(() => rmSync(root, { recursive: true }));

const gpu = (index: number, id: string): Device => ({
  id,
  kind: 'gpu',
  index,
  name: 'x',
  threads: 0,
  memoryMb: 1,
  freeMemoryMb: 1,
  utilisation: null,
  powerWatts: null,
  temperatureCelsius: null,
  errors: null,
  faults: [],
});

const options = { passEnvironment: [], reportTo: [] as string[] };

function wordsFor(spec: Record<string, unknown>, start: Parameters<typeof planTraining>[2]): string {
  const folder = createAttemptFolder(root, makeAssignment({ spec, devices: listSlots(1), threads: 3 }));
  return planTraining(folder, { cli: 'main.js', runs: 'runs', options }, start)
    .words.slice(2)
    .join(' ')
    .replaceAll(root, '');
}

describe('planTraining', () => {
  it('is a command that a user could type', () => {
    expect(wordsFor({ name: 'x' }, { isResumed: false })).toBe(
      'train /a/spec.yaml --out runs/run --events /a/trainer.jsonl --set device.threads=3',
    );
    const model = { folder: './there', base: undefined };
    expect(wordsFor({ name: 'x', device: { threads: 2 } }, { isResumed: true, model })).toBe(
      'train /a/spec.yaml --out runs/run --resume --events /a/trainer.jsonl --set model={"path":"./there"}',
    );
  });

  it.each([
    ['the model of the spec', 'spec', '{"hub":"a/b","revision":"c"}'],
    ['a folder', './below', '{"path":"./below"}'],
  ])('names as the base of an adapter %s', (_what, base, named) => {
    const spec = { model: { hub: 'a/b', revision: 'c' } };
    expect(wordsFor(spec, { isResumed: false, model: { folder: './there', base } })).toContain(
      `--set model={"path":"./there","base":${named}}`,
    );
  });

  it('reports to the trackers of the worker', () => {
    const folder = createAttemptFolder(
      root,
      makeAssignment({ spec: { name: 'x' }, devices: listSlots(1), threads: 3 }),
    );
    const site = {
      cli: 'main.js',
      runs: 'runs',
      options: { ...options, reportTo: ['tensorboard:logs', 'mlflow'] },
    };
    const { words } = planTraining(folder, site, { isResumed: false });
    expect(words.join(' ')).toContain('--report-to tensorboard:logs --report-to mlflow');
  });

  it('never loads the plugin folders that a spec names', () => {
    const spec = { name: 'x', plugins: ['/somewhere/mine'] };
    expect(wordsFor(spec, { isResumed: false })).toContain('--set plugins=[]');
    const folder = createAttemptFolder(root, makeAssignment({ kind: 'evaluate', spec }));
    const site = { cli: 'main.js', runs: 'runs', options };
    expect(planEvaluation(folder, site, { folder: './there', base: undefined }).words.join(' ')).toContain(
      '--set plugins=[]',
    );
  });

  it('writes the spec of the run as the configuration', () => {
    wordsFor({ name: 'x' }, { isResumed: false });
    expect(readFileSync(join(root, 'a', 'spec.yaml'), 'utf8')).toBe('{"name":"x"}');
  });
});

describe('planEvaluation', () => {
  it.each([
    [
      'the whole model under nested adapters',
      { path: '/a', base: { path: '/b', base: { path: '/m' } } },
      { path: '/m' },
    ],
    ['a plugin with its options', { use: 'tiny', layers: 2 }, { use: 'tiny', layers: 2 }],
    ['the commit of a hub', { hub: 'a/b', revision: 'c' }, { hub: 'a/b', revision: 'c' }],
  ])('names as the base %s', (_what, model, base) => {
    const folder = createAttemptFolder(root, makeAssignment({ kind: 'evaluate', spec: { model } }));
    const site = { cli: 'main.js', runs: 'runs', options };
    const { words } = planEvaluation(folder, site, { folder: './there', base: 'spec' });
    expect(JSON.parse(words[words.indexOf('--base') + 1] ?? '')).toEqual(base);
  });
});

describe('planEnvironment', () => {
  it('exposes only the GPUs of the job', () => {
    const devices = [gpu(2, 'GPU-aa'), gpu(5, 'GPU-bb')];
    expect(planEnvironment({ devices, threads: 4 }, [], {})).toMatchObject({
      CUDA_VISIBLE_DEVICES: 'GPU-aa,GPU-bb',
      OMP_NUM_THREADS: '4',
    });
    const own = { CUDA_VISIBLE_DEVICES: '0,1' };
    expect(planEnvironment({ devices: listSlots(1), threads: 4 }, [], own)).toMatchObject({
      CUDA_VISIBLE_DEVICES: '',
    });
  });

  it('hides the worker key and other secrets, except those that are passed on', () => {
    const own = {
      ESPALIER__WORKER__KEY: 'secret',
      ESPALIER_KEY: 'secret',
      AWS_SECRET_ACCESS_KEY: 'secret',
      HOME: 'home',
      WANDB_TOKEN: 'w',
    };
    const planned = planEnvironment({ devices: [], threads: 1 }, ['WANDB_TOKEN'], own);
    expect(planned).toMatchObject({ HOME: 'home', WANDB_TOKEN: 'w' });
    expect(JSON.stringify(planned)).not.toContain('secret');
  });
});

describe('loadWorkerOptions', () => {
  it('reads the settings in config/worker.yaml, and the key from the environment', () => {
    const options = loadWorkerOptions('config/worker.yaml', { ESPALIER__WORKER__KEY: '007' });
    expect(options).toMatchObject({ key: '007', gpus: 'auto', keepRunsDays: 7, timing: { graceMs: 60_000 } });
  });

  it.each([
    [{}, 'key is missing'],
    [{ ESPALIER__WORKER__KEY: 'x', ESPALIER__WORKER__SLOT: '2' }, 'did you mean slots?'],
    [{ ESPALIER__WORKER__KEY: 'x', ESPALIER__WORKER__SERVER: 'ftp://x' }, 'server is "ftp://x"'],
  ])('rejects %j', (env, sentence) => {
    expect(() => loadWorkerOptions('config/worker.yaml', env)).toThrow(sentence);
  });
});
