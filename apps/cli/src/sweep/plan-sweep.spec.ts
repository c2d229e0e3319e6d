import type { RunSpec } from '@espalier/contracts';
import { describe, expect, it } from 'vitest';
import { countValidated, planRuns, requireBudget, type RunPlan, sumSeconds } from './plan-sweep.js';
import { listSweepRuns } from './sweep-runs.js';

const variants = ['cheap', 'dear'].map((name) => ({
  name,
  points: [name],
  config: 'run.yaml',
  overrides: [],
}));
/** Two variants of 10 and 40 minutes, seeds 1 to 3: 150 minutes of processor time. */
const plans = listSweepRuns(variants, [1, 2, 3], 'out').map((run): RunPlan => {
  const seconds = run.variant === 'cheap' ? 600 : 2400;
  return { run, done: 0, steps: 60, seconds, processorSeconds: seconds };
});

describe('requireBudget', () => {
  it('lets a sweep of exactly its budget start', () => {
    expect(sumSeconds(plans, 'processorSeconds')).toBe(9000);
    expect(() => requireBudget('s', plans, 9000)).not.toThrow();
  });

  it('says by how much it is larger, and three ways that are each enough', () => {
    // two seeds need 100 minutes; without the dear variant 30; 60 · 100 / 150 = 40 steps
    expect(() => requireBudget('s', plans, 6000)).toThrow(
      'start sweep s: 6 runs would take about 2 h 30 min of processor time, 50 min 0 s more than the budget of 1 h 40 min; ' +
        'drop seed 3 with --seeds 1,2, or drop dear with --only cheap, or shorten the runs with --set steps=40, or raise --budget',
    );
  });

  it('names seeds and variants to drop together where neither alone is enough', () => {
    // one seed of both takes 50 minutes, the cheap variant 30, and a seventh of 4 steps is none
    const short = plans.map((plan) => ({ ...plan, steps: 4 }));
    expect(() => requireBudget('s', short, 1300)).toThrow(
      '; drop seed 3 and dear with --seeds 1,2 --only cheap, or raise --budget',
    );
  });

  it('leaves out what would not be enough', () => {
    // not even one run
    expect(() => requireBudget('s', plans, 100)).toThrow(/of 1 min 40 s; raise --budget$/);
    expect(() => requireBudget('s', plans, 300)).toThrow(
      /; shorten the runs with --set steps=2, or raise --budget/,
    );
  });

  it('counts the steps that are done into those it names', () => {
    const longer = plans.map((plan) => ({ ...plan, done: 4 }));
    expect(() => requireBudget('s', longer, 6000)).toThrow('shorten the runs with --set steps=44,');
    // seeds that have more steps take nothing up to there
    const uneven = plans.map((plan) => (plan.run.seed === 1 ? { ...plan, done: 4 } : { ...plan, done: 30 }));
    expect(() => requireBudget('s', uneven, 1000)).toThrow('shorten the runs with --set steps=24,');
    expect(() => requireBudget('s', longer, 100)).toThrow(/of 1 min 40 s; raise --budget$/);
  });

  it('cannot hold what is not predicted', () => {
    const unknown = plans.map(({ run, done, steps }): RunPlan => ({ run, done, steps }));
    expect(() => requireBudget('s', unknown, 6000)).toThrow('its time is not predicted for this device');
  });
});

describe('planRuns', () => {
  it('takes processor time as it was predicted, not from the clock', () => {
    const runs = plans.slice(0, 1).map(({ run }) => run);
    const [plan] = planRuns(runs, [{ name: 'cheap', steps: 60, seconds: 900, processorSeconds: 700 }]);
    expect(plan).toMatchObject({ steps: 60, seconds: 900, processorSeconds: 700 });
  });
});

describe('countValidated', () => {
  const count = (steps: number, validation: Partial<RunSpec['validation']>): number =>
    countValidated({
      steps,
      environment: { use: 'bandit' },
      validation: { every: 10, atStart: true, atEnd: true, episodes: 8, ...validation },
    } as RunSpec);

  it('counts the start, every so many steps, and the end once', () => {
    expect(count(20, {})).toBe(3 * 8);
    expect(count(25, {})).toBe(4 * 8);
    expect(count(25, { every: 0 })).toBe(2 * 8);
    expect(count(20, { atStart: false, atEnd: false })).toBe(2 * 8);
    expect(count(25, { every: 0, atStart: false, atEnd: false })).toBe(0);
  });
});
