import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runLayout } from '@espalier/contracts';
import { afterAll, describe, expect, it } from 'vitest';
import { countCheckpoints, keepHealthy, lastHealthyStep } from './healthy-checkpoints.js';
import { exploding, fragileEngine, rollBack } from './testing/fragile-run.js';
import { tinySpec, trainTiny } from './testing/tiny-run.js';
import { startState, type TrainerState } from './trainer-state.js';

const root = mkdtempSync(join(tmpdir(), 'espalier-healthy-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));

describe('checkpoints that are kept for a roll-back', () => {
  const spec = tinySpec(exploding(rollBack));
  const at = (step: number, healthySteps: number[], since?: number): TrainerState => ({
    ...startState,
    step,
    health: {
      ...startState.health,
      streaks: since === undefined ? {} : { 'invalid-format': { since, count: 1, warned: 1, collapsed: 0 } },
    },
    recovery: { ...startState.recovery, healthySteps },
  });

  it('are all of the latest checks, fewer with age, and one that no rule looks back beyond', () => {
    let state = at(0, [0]);
    for (let step = 1; step <= 60; step++) {
      const healthySteps = keepHealthy(spec, { ...state, step });
      state = at(step, [...healthySteps]);
    }
    const { healthySteps } = state.recovery;
    // patience 2 and usual look-back 4; ten checks and one are the longest look-back, validations being off
    expect(healthySteps.slice(-7)).toEqual([54, 55, 56, 57, 58, 59, 60]);
    expect(healthySteps.length).toBeLessThanOrEqual(9);
    expect(healthySteps[0]).toBeLessThanOrEqual(50);
    expect(healthySteps[0]).toBeGreaterThan(30);
  });

  it('reach further back where validations are rare', () => {
    const rare = tinySpec(exploding(rollBack, { validation: { every: 20 }, steps: 200 }));
    let steps: readonly number[] = [0];
    for (let step = 1; step <= 180; step++) {
      steps = keepHealthy(rare, at(step, [...steps]));
      expect(steps[0]).toBeLessThanOrEqual(Math.max(0, step - 100));
      expect(steps.length).toBeLessThanOrEqual(24);
    }
  });

  it.each([
    ['of a fork between two scheduled ones', 5, [7], 10, [7, 10]],
    ['of a run that is resumed with a checkpoint more often', 4, [5, 10, 15, 20], 24, [10, 20, 24]],
  ])('stay where they are no multiples of checkpoint.every: those %s', (_, every, before, step, after) => {
    const changed = tinySpec(exploding(rollBack, { checkpoint: { every, keep: 1 }, steps: 60 }));
    expect(keepHealthy(changed, at(step, before))).toEqual(after);
  });

  it.each([2, 5, 7, 10, 13, 40])(
    'always have one that no rule looks back beyond, with checkpoint.every %i',
    (every) => {
      const sparse = tinySpec(exploding(rollBack, { checkpoint: { every, keep: 1 }, steps: 400 }));
      let steps: readonly number[] = [7];
      for (let step = 8; step <= 400; step++) {
        steps = keepHealthy(sparse, at(step, [...steps]));
        expect(steps[0]).toBeLessThanOrEqual(Math.max(7, step - 10));
      }
    },
  );

  it('are those from before a rule that fires, however long it does', () => {
    const firing = (step: number, steps: number[]) => keepHealthy(spec, at(step, steps, 5));
    expect(firing(7, [0, 1, 2, 3, 4])).toEqual([0, 1, 2, 3, 4]);
    expect(firing(80, [0, 1, 2, 3, 4])).toEqual([0, 1, 2, 3, 4]);
  });

  it.each([
    [{ steps: 50 }, 4],
    [{ steps: 50, monitor: { every: 0 } }, 3],
    [{ steps: 60, checkpoint: { every: 1, keep: 1 } }, 4],
    [{ steps: 10 }, 1],
    [{ steps: 50, checkpoint: { every: 0, keep: 2 } }, 1],
    [{ steps: 45, checkpoint: { every: 10, keep: 9 } }, 5],
  ])('are counted with the newest before a run begins: %j has %i at once', (change, count) => {
    expect(countCheckpoints(tinySpec({ checkpoint: { every: 10, keep: 2 }, ...change }))).toBe(count);
  });

  it.each([
    { steps: 60 },
    { steps: 400, checkpoint: { every: 3, keep: 1 } },
    { steps: 5000, checkpoint: { every: 2, keep: 3 }, validation: { every: 20 } },
    { steps: 31, checkpoint: { every: 10, keep: 1 }, validation: { every: 20 } },
  ])('are as many on the disk as counted, if all are healthy: %j', (change) => {
    const long = tinySpec(exploding(rollBack, change));
    const { every, keep } = long.checkpoint;
    let disk: number[] = [];
    let most = 0;
    let healthySteps: readonly number[] = [];
    for (let step = 1; step <= long.steps; step++) {
      healthySteps = keepHealthy(long, at(step, [...healthySteps]));
      if (step % every !== 0 && step !== long.steps) continue;
      disk = [...disk, step];
      most = Math.max(most, disk.length);
      const newest = disk.slice(-keep);
      disk = disk.filter((one) => newest.includes(one) || healthySteps.includes(one));
    }
    expect(countCheckpoints(long)).toBe(most);
  });

  it('are two without a roll-back: one that the usual rules have not looked at, and the next', () => {
    const alert = tinySpec(exploding({}));
    let steps: readonly number[] = [];
    const kept = Array.from({ length: 14 }, (_, step) => {
      steps = keepHealthy(alert, at(step + 1, [...steps]));
      return steps.join(' ');
    });
    // patience 2 and usual look-back 4
    expect(kept).toEqual([...Array<string>(6).fill('1'), ...Array<string>(6).fill('1 7'), '7 13', '7 13']);
    const bad = at(15, [7, 13]);
    const collapsed = {
      ...bad,
      health: { ...bad.health, state: 'collapsed' as const, since: 15, unhealthySince: 15 },
    };
    expect(keepHealthy(alert, collapsed)).toEqual([7, 13]);
    expect(lastHealthyStep(alert, collapsed)).toBe(7);
    // a warning that became a collapse
    const later = { ...collapsed, step: 24, health: { ...collapsed.health, since: 24 } };
    expect(keepHealthy(alert, later)).toEqual([7, 13]);
    expect(lastHealthyStep(alert, later)).toBe(7);
    expect(lastHealthyStep(alert, bad)).toBeUndefined();
    const early = { ...collapsed, health: { ...collapsed.health, unhealthySince: 12 } };
    expect(lastHealthyStep(alert, early)).toBeUndefined();
    expect(keepHealthy(tinySpec(exploding({ every: 0 })), at(4, []))).toEqual([]);
  });

  it('are there after a stop, which names the one to fork', async () => {
    const spec = exploding(
      { onCollapse: { action: 'stop' } },
      { optimizer: { learningRate: 0.3 }, steps: 60 },
    );
    const { summary, folder } = await trainTiny(root, { folder: 'forkable', engine: fragileEngine(), spec });
    const { healthyStep = -1 } = summary ?? {};
    expect(summary?.message).toContain(`from step ${healthyStep}, its last healthy checkpoint`);
    expect(healthyStep).toBeLessThan((summary?.step ?? 0) - 4);
    expect(readdirSync(join(folder, 'checkpoints'))).toContain(runLayout.stepName(healthyStep));
  });

  it('stay on disk beyond checkpoint.keep, and no others', async () => {
    const { folder } = await trainTiny(root, {
      folder: 'kept',
      spec: exploding(rollBack, {
        optimizer: { learningRate: 0.01 },
        steps: 30,
        checkpoint: { every: 1, keep: 1 },
      }),
    });
    const { recovery } = JSON.parse(
      readFileSync(join(folder, 'checkpoints', 'step-000030', 'state.json'), 'utf8'),
    ) as TrainerState;
    expect(recovery.healthySteps.length).toBeLessThan(12);
    expect(readdirSync(join(folder, 'checkpoints')).sort()).toEqual(
      recovery.healthySteps.map((step) => runLayout.stepName(step)),
    );
  });
});
