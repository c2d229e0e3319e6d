/** @file A run from the outside: its folder, an interruption, and going on as if nothing had happened. */
import {
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RunSpec } from '@espalier/contracts';
import { isRepeatable } from '@espalier/contracts/metric';
import { hashFile } from '@espalier/files';
import { readMetrics, readTrajectories } from '@espalier/recorder';
import { removeFolder } from '@espalier/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { callCli } from '../support/call-cli.js';
import { runCli } from '../support/run-cli.js';
import { writeTinyModel } from '../support/tiny-model.js';

let folder = '';
/** A model of 60,000 parameters that has just learnt the format, so that attempts differ. */
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'espalier-train-'));
  const warmStart = [
    'name: sprout',
    'model: { hiddenSize: 48, layers: 2, heads: 4, keyValueHeads: 2, intermediateSize: 64, vocabularySize: 400, contextLength: 512 }',
    'demonstrations: [{ environment: { use: bandit }, noise: 1 }]',
    'tokens: 100000',
    'batchTokens: 4096',
    'optimizer: { learningRate: 0.005 }',
    'validation: { everyTokens: 1000000, episodes: 16, finalEpisodes: 16 }',
  ];
  writeFileSync(join(folder, 'warm-start.yaml'), `${warmStart.join('\n')}\n`);
  const yaml = [
    'environment: { use: bandit }',
    'algorithm: { use: ppo }',
    'model: { path: ./models/sprout }',
    'steps: 6',
    'rollout: { promptsPerStep: 2, groupSize: 4, maxResponseTokens: 40 }',
    'validation: { every: 3, episodes: 8 }',
    'checkpoint: { every: 2 }',
  ];
  writeFileSync(join(folder, 'run.yaml'), `${yaml.join('\n')}\n`);
  const { code, stdout } = await callCli(['warm-start', 'warm-start.yaml'], { cwd: folder });
  expect([code, stdout]).toEqual([0, expect.stringContaining('model models/sprout')]);
}, 180_000);
afterAll(() => removeFolder(folder));

const weightsOf = (run: string): string => {
  const checkpoints = join(folder, run, 'checkpoints');
  const newest =
    readdirSync(checkpoints)
      .filter((name) => /^step-\d+$/.test(name))
      .sort()
      .at(-1) ?? '';
  expect(newest).toBe('step-000006');
  return hashFile(join(checkpoints, newest, 'policy/model.safetensors'));
};

/** Rows without what the clock says. */
const rowsOf = (run: string) =>
  readMetrics(join(folder, run, 'metrics.jsonl')).map(({ step, values }) => ({
    step,
    values: Object.fromEntries(Object.entries(values).filter(([name]) => isRepeatable(name))),
  }));

/** Steps of the events with a metric in all event files of a folder, in order; the events are TFRecords. */
function eventSteps(path: string): number[] {
  const files = readdirSync(join(folder, path)).sort();
  const steps: number[] = [];
  for (const bytes of files.map((name) => readFileSync(join(folder, path, name)))) {
    for (let at = 0; at < bytes.length;) {
      const length = Number(bytes.readBigUInt64LE(at));
      const event = bytes.subarray(at + 12, at + 12 + length);
      // after the time: the step, unless it is 0
      if (event.includes('time/')) steps.push(event[9] === 0x10 ? Number(event[10]) : 0);
      at += length + 16;
    }
  }
  return steps;
}

describe('espalier train', () => {
  it('fits micro-batches into memory when a run begins, and keeps them when it resumes with more', async () => {
    const words = ['train', 'run.yaml', '--out', 'small', '--set', 'validation.atEnd=false'];
    const microBatch = () =>
      (JSON.parse(readFileSync(join(folder, 'small/spec.json'), 'utf8')) as RunSpec).update.microBatchTokens;
    const plan = await callCli(['plan', 'run.yaml', '--set', 'device.memoryMb=4', '--json'], { cwd: folder });
    const planned = JSON.parse(plan.stdout) as { spec: RunSpec; sources: Record<string, string> };
    expect(planned.sources['update.microBatchTokens']).toBe('memory');
    expect(planned.spec.update.microBatchTokens).toBeLessThan(2048);
    // the warm start showed replies with a thought, and left that with the model
    const silent = await callCli(['plan', 'run.yaml', '--set', 'rollout.prompt.thinking=none'], {
      cwd: folder,
    });
    expect(silent.stdout + silent.stderr).toMatch(/rollout\.prompt\.thinking: the warm start .* "required"/);
    expect(plan.stdout).not.toContain('warm start of this model');
    const first = await callCli([...words, '--set', 'device.memoryMb=4', '--set', 'steps=2'], {
      cwd: folder,
    });
    expect([first.code, first.stderr]).toEqual([0, expect.stringContaining('note: micro-batches of')]);
    expect(microBatch()).toBe(planned.spec.update.microBatchTokens);
    const second = await callCli([...words, '--set', 'steps=4', '--resume'], { cwd: folder });
    expect([second.code, second.stderr]).toEqual([0, '']);
    expect(microBatch()).toBe(planned.spec.update.microBatchTokens);
  }, 180_000);

  it('does not tell the log of a worker which of all options change nothing', async () => {
    const ending = [
      '--set',
      'steps=1',
      '--set',
      'validation.atEnd=false',
      '--set',
      'validation.atStart=false',
    ];
    const plan = await callCli(['plan', 'run.yaml', ...ending, '--json'], { cwd: folder });
    const { spec } = JSON.parse(plan.stdout) as { spec: RunSpec };
    writeFileSync(join(folder, 'resolved.yaml'), JSON.stringify(spec));
    const words = ['train', 'resolved.yaml', '--out', 'told', '--events', 'events.jsonl'];
    const { code, stderr } = await callCli(words, { cwd: folder });
    expect([code, stderr]).toEqual([0, '']);
  }, 120_000);

  it('makes a folder with spec, metrics, trajectories and checkpoints', async () => {
    const { code, stdout, stderr } = await callCli(['train', 'run.yaml', '--out', 'whole'], { cwd: folder });
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(/step 6 {2}success/);
    expect(stdout).toMatch(/success on fixed states: .+ at step 0 → .+ at step 6/);
    expect(rowsOf('whole').map(({ step }) => step)).toEqual([0, 1, 2, 3, 3, 4, 5, 6, 6]);
    const attempts = readTrajectories(join(folder, 'whole/trajectories'), { step: 3 });
    expect(attempts.filter(({ split }) => split === 'train')).toHaveLength(8);
    expect(attempts.filter(({ split }) => split === 'validation')).toHaveLength(8);
    expect(existsSync(join(folder, 'whole/run.lock'))).toBe(false);
  }, 120_000);

  it('never uses a folder twice', async () => {
    const { code, stderr } = await callCli(['train', 'run.yaml', '--out', 'whole'], { cwd: folder });
    expect([code, stderr]).toEqual([3, expect.stringContaining('cli.run_exists')]);
  });

  it('stops on Ctrl-C, says how to go on, and ends there with the same weights and rows', async () => {
    let isKilled = false; // a second signal would abort
    const onOutput = (text: string, kill: (signal: NodeJS.Signals) => void): void => {
      if (isKilled || !/"kind":"metrics".*"step":3/.test(text)) return;
      isKilled = true;
      kill('SIGINT');
    };
    const words = ['train', 'run.yaml', '--out', 'broken', '--json', '--report-to', 'tensorboard'];
    const stopped = await runCli(words, { cwd: folder, onOutput });
    expect(stopped.code).toBe(75);
    const last = JSON.parse(stopped.stdout.trim().split('\n').at(-1) ?? '{}') as Record<string, unknown>;
    expect(last).toMatchObject({ kind: 'run-ended', outcome: 'interrupted' });
    const resumed = await callCli([...words, '--resume'], { cwd: folder });
    expect(resumed.code).toBe(0);
    expect(weightsOf('broken')).toBe(weightsOf('whole'));
    expect(rowsOf('broken')).toEqual(rowsOf('whole'));
    const idsAt = (step: number) =>
      readTrajectories(join(folder, 'broken/trajectories'), { step }).map(({ id }) => id);
    for (const step of [1, 2, 3, 4, 5, 6]) expect(new Set(idsAt(step)).size).toBe(idsAt(step).length);
    // stopped or not, the tracker was sent each row once, and how each attempt ended
    expect(eventSteps('broken/tensorboard')).toEqual(rowsOf('whole').map(({ step }) => step));
  }, 240_000);

  it('can be sent to a tracker afterwards, once', async () => {
    const track = (...words: string[]) => callCli(['track', 'whole', ...words], { cwd: folder });
    expect(await track('--to', 'tensorboard:logs')).toMatchObject({
      code: 0,
      stdout: 'whole → tensorboard (logs): 9 rows of metrics\n',
    });
    expect(eventSteps('logs/whole')).toEqual(rowsOf('whole').map(({ step }) => step));
    const again = await track('--to', 'tensorboard:logs', '--json');
    expect(JSON.parse(again.stdout)).toMatchObject({ rows: 0, outcome: 'finished' });
    expect(await track()).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('no tracker is named') as string,
    });
    expect(await track('--to', 'mlflow:nowhere')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('write mlflow:http://HOST:PORT') as string,
    });
  }, 60_000);
});

describe('espalier train | head', () => {
  it('trains on without a reader, saves, and lets go of the folder', async () => {
    const words = ['train', 'run.yaml', '--set', 'steps=2', '--out', 'unread'];
    const { code, stdout } = await runCli(words, { cwd: folder, leavesEarly: true });
    expect(stdout).not.toContain('step 2  success');
    expect(code).toBe(0);
    expect(readdirSync(join(folder, 'unread/checkpoints'))).toEqual(['step-000002']);
    expect(existsSync(join(folder, 'unread/run.lock'))).toBe(false);
  }, 120_000);

  it('is no error for a command that has nothing else to do', async () => {
    const words = ['env', 'show', 'frozen-lake', '--seeds', '0..1000000', '--json'];
    expect(await runCli(words, { leavesEarly: true })).toMatchObject({ code: 0, stderr: '' });
  }, 60_000);
});

describe('espalier train without anything to learn from', () => {
  it('says so, validates, saves, and ends with 5', async () => {
    writeTinyModel(join(folder, 'random'));
    const sets = ['model.path=./random', 'steps=9', 'rollout.maxResponseTokens=4', 'validation.every=0'];
    const words = ['train', 'run.yaml', '--out', 'idle', ...sets.flatMap((set) => ['--set', set])];
    const { code, stdout } = await callCli([...words, '--set', 'algorithm={use: grpo}'], { cwd: folder });
    expect(stdout).toMatch(
      /ended early: 5 iterations in a row had no signal.*; not in the required form: none of \d+ replies were/,
    );
    expect(stdout).toMatch(/step 5 {2}validation/);
    expect(code).toBe(5);
    expect(readdirSync(join(folder, 'idle/checkpoints'))).toContain('step-000005');
  }, 120_000);
});

describe('espalier with a broken checkpoint', () => {
  it('passes over it in plan and eval, and moves it only to go on', async () => {
    cpSync(join(folder, 'whole'), join(folder, 'damaged'), { recursive: true });
    const newest = join(folder, 'damaged/checkpoints/step-000006');
    truncateSync(join(newest, 'policy/model.safetensors'), 100);
    const note = /note: load checkpoint .*step-000006": "policy\/model\.safetensors" has 100 bytes.*skipped/;
    const set = ['--set', 'model.path=./damaged'];
    for (const words of [
      ['plan', 'run.yaml', ...set],
      ['eval', 'damaged', 'run.yaml', '--episodes', '2'],
    ]) {
      const { code, stderr } = await callCli(words, { cwd: folder });
      expect([code, stderr]).toEqual([0, expect.stringMatching(note)]);
      expect(existsSync(newest)).toBe(true);
    }
    const words = ['train', 'run.yaml', '--out', 'damaged', '--resume'];
    const { code, stdout } = await callCli(words, { cwd: folder });
    expect([code, stdout]).toEqual([0, expect.stringContaining('warning trainer.corrupt_checkpoint')]);
    expect(weightsOf('damaged')).toBe(weightsOf('whole'));
    expect(readdirSync(join(folder, 'damaged/checkpoints'))).toContain('corrupt-step-000006-1');
  }, 120_000);

  it('names a damaged spec.json, sets it aside, and goes on with the copy of the checkpoint', async () => {
    cpSync(join(folder, 'whole'), join(folder, 'unknown'), { recursive: true });
    truncateSync(join(folder, 'unknown/spec.json'), 50);
    const words = ['train', 'run.yaml', '--out', 'unknown', '--resume'];
    const { code, stdout } = await callCli(words, { cwd: folder });
    expect([code, stdout]).toEqual([0, expect.stringMatching(/warning trainer\.corrupt_run: .*spec\.json/)]);
    expect(readdirSync(join(folder, 'unknown'))).toContain('corrupt-spec.json-1');
  }, 60_000);
});

describe('espalier eval', () => {
  it('measures a run and compares it with its start, state by state', async () => {
    const words = ['eval', 'whole', 'models/sprout', 'run.yaml', '--episodes', '8'];
    const { code, stdout } = await callCli(words, { cwd: folder });
    expect(code).toBe(0);
    expect(stdout).toMatch(/whole +[\d.]+ % \[.+\] \*/);
    expect(stdout).toMatch(/whole − models\/sprout on bandit: .+ points \[.+\] on 8 states, p /);
    const one = await callCli(['eval', 'whole', 'run.yaml', '--episodes', '8', '--json'], { cwd: folder });
    expect(JSON.parse(one.stdout)).toMatchObject({ model: 'whole', episodes: 8 });
  }, 120_000);
});
