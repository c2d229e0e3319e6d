/** @file Plugins that misbehave, in a real run: who it was is told, no failed episode is a sample, the run goes on. */
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readMetrics, readTrajectories } from '@espalier/recorder';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { callCli } from '../support/call-cli.js';
import { createHostileWorkspace, type Workspace } from '../support/hostile-workspace.js';
import { isLong } from '../support/long.js';
import { runCli } from '../support/run-cli.js';
import { writeTinyModel } from '../support/tiny-model.js';

let workspace: Workspace;
beforeAll(() => {
  workspace = createHostileWorkspace({ withOwn: true });
  writeTinyModel(join(workspace.folder, 'tiny'));
});
afterAll(() => workspace.remove());

interface Given {
  readonly environment?: string;
  readonly reward?: string;
  readonly more?: string;
}

function writeRun({ environment = '', reward = '', more = '' }: Given): void {
  const lines = [
    `environment: { use: hostile${environment} }`,
    `rewards: [{ use: environment-return }, { use: hostile-score${reward} }]`,
    'algorithm: { use: grpo }',
    'model: { path: ./tiny }',
    'steps: 1',
    'rollout: { promptsPerStep: 2, groupSize: 2, maxTurns: 1, maxResponseTokens: 4, maxFailedShare: 0.9 }',
    'validation: { every: 0, atStart: false, atEnd: false }',
    more,
  ];
  writeFileSync(join(workspace.folder, 'run.yaml'), lines.join('\n'));
}

const train = (out: string, ...words: readonly string[]) =>
  callCli(['train', 'run.yaml', '--out', out, ...words], { cwd: workspace.folder });

/** What is recorded of a run: failed attempts, whole ones, and the share that is charted. */
function recordOf(out: string) {
  const all = readTrajectories(join(workspace.folder, out, 'trajectories'), { step: 1 });
  const attempts = all.map(({ kept: _kept, ...trajectory }) => trajectory);
  const values = readMetrics(join(workspace.folder, out, 'metrics.jsonl')).at(-1)?.values ?? {};
  return {
    failed: attempts.filter(({ error }) => error !== undefined),
    whole: attempts.filter(({ error }) => error === undefined),
    share: values['rollout/failed_share'],
    mean: values['rollout/reward_mean'],
  };
}

const everyOther = ', hook: reset, every: 2';

/** Each is found by the guards around plugins, whose specs have them all; the short form has one of each kind in a run. */
const ofEnvironments = [
  ['throw', 'error', 'hook "reset" (step 0, seed', 'threw Error: out of luck'],
  ['block', 'timeout', 'hook "reset" (step 0, seed', 'did not return within 1000 ms'],
  ['exit', 'error', 'hook "reset" (step 0, seed', 'its process exited by itself (exit code 7)'],
  ['shared', 'error', 'hook "reset" (turn 1, state seed', 'have different first states'],
  ['shape', 'error', 'hook "reset" (step 0, seed', 'returned an observation with text of type undefined'],
  ['mutate', 'error', 'hook "reset" (step 0, seed', 'threw TypeError: Cannot '],
] as const;
const ofRewards = [
  ['throw', 'error', 'threw Error: out of luck'],
  ['block', 'timeout', 'did not return within 1000 ms'],
  ['nan', 'error', 'returned NaN for turn 0; expected a finite number'],
  ['shape', 'error', 'returned 9 values; expected one per turn'],
  ['mutate', 'error', 'threw TypeError: Cannot '],
] as const;

describe('an episode that a plugin spoils', () => {
  it.each(isLong ? ofEnvironments : ofEnvironments.slice(0, 4))(
    'by %s in an environment is recorded and left out',
    async (fault, stopReason, place, finding) => {
      // another process only has a copy, which it may change
      const where =
        fault === 'mutate' ? ', isolation: none' : fault === 'block' ? ', callTimeoutMs: 1000' : '';
      writeRun({ environment: `, fault: ${fault}${everyOther}${where}` });
      expect((await train(fault)).code).toBe(0);
      const { failed, whole, share, mean } = recordOf(fault);
      expect(failed.length).toBeGreaterThan(0);
      expect(whole.length).toBeGreaterThan(0);
      for (const { error, score, seeds, ...attempt } of failed) {
        expect(error).toContain('environment "hostile", ');
        expect([error, error]).toEqual([expect.stringContaining(place), expect.stringContaining(finding)]);
        expect([attempt.stopReason, seeds.state % 2, score.total]).toEqual([stopReason, 0, 0]);
      }
      expect(share).toBeCloseTo(failed.length / (failed.length + whole.length), 12);
      // one point per turn from the reward: a failed episode taken for a zero would pull the mean down
      expect(mean).toBeCloseTo(whole.reduce((sum, { score }) => sum + score.total, 0) / whole.length, 6);
      expect(whole.every(({ seeds }) => seeds.state % 2 === 1)).toBe(true);
    },
    120_000,
  );

  it.each(isLong ? ofRewards : ofRewards.slice(0, 2))(
    'by %s in a reward is recorded and left out',
    async (fault, stopReason, finding) => {
      // in both places, turn about
      const isolation = fault === 'block' || fault === 'nan' ? 'process' : 'none';
      const limit = isolation === 'process' ? ', callTimeoutMs: 1000' : '';
      const out = `reward-${fault}`;
      writeRun({ reward: `, fault: ${fault}, every: 2, isolation: ${isolation}${limit}` });
      expect((await train(out)).code).toBe(0);
      const { failed, whole } = recordOf(out);
      expect([failed.length > 0, whole.length > 0]).toEqual([true, true]);
      for (const attempt of failed) {
        expect(attempt.error).toMatch(
          /^reward "hostile-score", hook "score" \(turns 1, trajectory train\/1\/\d\/\d, seed \d+\): /,
        );
        expect(attempt.error).toContain(finding);
        expect(attempt.stopReason).toBe(fault === 'block' ? 'timeout' : stopReason);
      }
    },
    120_000,
  );

  it('that changes number arrays of what it is given is found out', async () => {
    writeRun({ reward: ', fault: shared, every: 2, isolation: none' });
    expect((await train('reward-arrays')).code).toBe(0);
    const { failed } = recordOf('reward-arrays');
    expect(failed[0]?.error).toContain('changed "logprobs" at index 0, which is read-only');
  });
});

describe('an error that a plugin throws when nobody waits for it', () => {
  it('ends the run with its place and what to do, and no trace of calls', async () => {
    writeRun({ environment: ', fault: late, hook: reset, isolation: none' });
    const late = ['train', 'run.yaml', '--out', 'late'];
    const { code, stderr } = await runCli(late, { cwd: workspace.folder });
    expect(code).toBe(5);
    expect(stderr).toMatch(
      /error plugin\.failed: train: an error was thrown at .*index\.js:\d+:\d+ outside any awaited call/,
    );
    expect(stderr).toContain('"too late"; a plugin that starts a timer');
    expect(stderr).not.toMatch(/^ +at /m);
  }, 60_000);
});

describe('a run with too many spoilt episodes', () => {
  it('stops, and goes on once the plugin is repaired', async () => {
    writeRun({ environment: ', fault: file, hook: reset', more: 'seed: 3' });
    expect((await train('stopped', '--set', 'rollout.maxFailedShare=0.2')).code).toBe(0);
    writeFileSync(join(workspace.folder, 'broken'), '');
    const words = ['--set', 'rollout.maxFailedShare=0.2', '--set', 'steps=2', '--resume'];
    const stopped = await train('stopped', ...words);
    expect(stopped.code).toBe(5);
    // two failures are past a fifth of six attempts, so the others are not played
    expect(stopped.stderr).toMatch(
      /error rollout\.too_many_errors: collect 4 episodes: ([2-4]) of \1 rollouts failed \(.*, above the share 0\.2/,
    );
    expect(stopped.stderr).toContain('hook "reset" (step 0, seed');
    rmSync(join(workspace.folder, 'broken'));
    expect((await train('stopped', ...words)).code).toBe(0);
    const steps = readMetrics(join(workspace.folder, 'stopped', 'metrics.jsonl')).map(({ step }) => step);
    expect(steps).toEqual([1, 2]);
  }, 120_000);
});

describe('where a plugin runs', () => {
  it('is shown by plan, with the default for packages of others', async () => {
    writeRun({ reward: ', isolation: none' });
    const { stdout } = await callCli(['plan', 'run.yaml'], { cwd: workspace.folder });
    expect(stdout).toContain('environment hostile: a process of its own, 10000 ms per call');
    expect(stdout).toContain('reward environment-return: this process');
    expect(stdout).toContain('reward hostile-score: this process');
    expect(stdout).toContain('rollout.environmentTimeoutMs: environment.callTimeoutMs limits every call');
  });

  it('changes nothing about a run', async () => {
    for (const isolation of ['none', 'process']) {
      writeRun({ environment: `, isolation: ${isolation}`, reward: `, isolation: ${isolation}` });
      const yaml = readFileSync(join(workspace.folder, 'run.yaml'), 'utf8').replace(
        'use: hostile,',
        'use: frozen-lake,',
      );
      writeFileSync(join(workspace.folder, 'run.yaml'), yaml);
      expect((await train(`place-${isolation}`, '--set', 'rollout.maxTurns=2')).code).toBe(0);
    }
    const told = (out: string) => {
      const { whole } = recordOf(out);
      return whole.map(({ timings: _timings, turns, ...attempt }) => ({
        ...attempt,
        turns: turns.map(({ timings: _turnTimings, ...turn }) => turn),
      }));
    };
    expect(told('place-process')).toEqual(told('place-none'));
    const weights = (out: string): Buffer => {
      const checkpoints = join(workspace.folder, out, 'checkpoints');
      const newest = readdirSync(checkpoints).sort().at(-1) ?? '';
      return readFileSync(join(checkpoints, newest, 'policy', 'model.safetensors'));
    };
    expect(existsSync(join(workspace.folder, 'place-none', 'checkpoints'))).toBe(true);
    expect(weights('place-process').equals(weights('place-none'))).toBe(true);
  }, 120_000);

  it('refuses a time limit without a process as inert, and an unknown place', async () => {
    writeRun({ environment: ', isolation: none, callTimeoutMs: 5' });
    const { stdout } = await callCli(['plan', 'run.yaml'], { cwd: workspace.folder });
    expect(stdout).toContain('environment.callTimeoutMs: only a separate process can be killed');
    writeRun({ environment: ', isolation: moon' });
    const { code, stderr } = await callCli(['plan', 'run.yaml'], { cwd: workspace.folder });
    expect([code, stderr]).toEqual([3, expect.stringContaining('environment.isolation is "moon"')]);
  });
});
