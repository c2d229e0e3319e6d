import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SweepRule } from '@espalier/config/sweep';
import { runLayout } from '@espalier/contracts';
import { encodeCheckedLine } from '@espalier/files';
import { removeFolder } from '@espalier/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { describeRule, type EndedRun, judge, type JudgedClaim } from './judge-claims.js';
import { findEvent, momentOf } from './run-values.js';

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'espalier-judge-'));
});
afterAll(() => removeFolder(folder));

interface Recorded {
  /** success by step in training, from step 1 */
  readonly training?: readonly number[];
  readonly deviation?: readonly number[];
  /** processor time of an iteration; a validation takes 50 s */
  readonly seconds?: number;
  /** solved states of 10, by step of a validation */
  readonly solved?: Readonly<Record<number, number>>;
}

/** Writes what a run leaves behind: metrics, and outcomes by state. */
function record(
  variant: string,
  seed: number,
  { training = [], deviation = [], seconds = 1, solved = {} }: Recorded,
): EndedRun {
  const run = join(folder, `${variant}-${seed}`);
  mkdirSync(join(run, runLayout.validation), { recursive: true });
  const row = (step: number, values: Record<string, number>): string =>
    encodeCheckedLine({ step, time: step, attempt: 1, values });
  const rows = training.map((value, index) =>
    row(index + 1, {
      'rollout/success_rate': value,
      'rollout/reward_std': deviation[index] ?? 1,
      'time/step_seconds': 1,
      'time/cpu_seconds': seconds,
    }),
  );
  for (const [step, count] of Object.entries(solved)) {
    const taken = { 'time/validate_seconds': 25, 'time/cpu_seconds': 50 };
    rows.push(row(Number(step), { 'validation/success_rate': count / 10, ...taken }));
    const outcomes = Array.from({ length: 10 }, (_, state) => ({
      stateSeed: state,
      success: state < count,
      total: 0,
      stopReason: 'done',
      turns: 1,
      actions: 1,
      formatShare: 1,
    }));
    const rates = { episodes: 10, failed: 0, successRate: count / 10, successLow: 0, successHigh: 1 };
    writeFileSync(
      join(run, runLayout.validationOf(Number(step))),
      JSON.stringify({ environment: 'bandit', metrics: {}, outcomes, ...rates }),
    );
  }
  const parts = { algorithm: { use: 'grpo' }, model: {}, update: {}, validation: {} };
  const spec = { environment: { use: variant === 'lake' ? 'frozen-lake' : 'bandit' }, ...parts };
  writeFileSync(join(run, runLayout.spec), JSON.stringify(spec));
  writeFileSync(join(run, runLayout.metrics), rows.join(''));
  return { variant, seed, folder: run };
}

const claim = (rule: SweepRule, runs: readonly EndedRun[]): JudgedClaim =>
  judge({ of: 'Figure 1', claim: 'A claim.', need: 'all', rules: [rule] }, runs);
const better: SweepRule = {
  kind: 'difference',
  first: 'a',
  second: 'b',
  at: 'end',
  metric: 'validation/success_rate',
  expect: 'higher',
  margin: 0,
};

describe('a difference in success', () => {
  it('holds where every seed and the states agree', () => {
    // 9 of 10 against 2 of 10 with both seeds: +70 points, no spread over seeds, 7 of 10 states won
    const runs = [1, 2].flatMap((seed) => [
      record('a', seed, { solved: { 0: 4, 8: 9 } }),
      record('b', seed, { solved: { 0: 4, 8: 2 } }),
    ]);
    const { verdict, rules } = claim(better, runs);
    expect(verdict).toBe('holds');
    expect(rules[0]?.finding).toMatch(/^\+70 points \[\+40, \+\d+\], 2 seeds, 10 states$/);
    expect(claim({ ...better, first: 'b', second: 'a' }, runs).verdict).toBe('does not hold');
    expect(claim({ ...better, at: 'start' }, runs).verdict).toBe('does not hold');
  });

  it('is not separable where seeds disagree, or where there is one', () => {
    const runs = [
      record('a', 1, { solved: { 8: 9 } }),
      record('b', 1, { solved: { 8: 2 } }),
      record('a', 2, { solved: { 8: 2 } }),
      record('b', 2, { solved: { 8: 9 } }),
    ];
    expect(claim(better, runs).verdict).toBe('not separable at this size');
    const { verdict, rules } = claim(better, runs.slice(0, 2));
    expect([verdict, rules[0]?.finding]).toEqual([
      'not separable at this size',
      '+70 points, spread over seeds unknown, 1 seed, 10 states',
    ]);
  });

  it('is not run where a side is missing, or has no such metric', () => {
    const runs = [1, 2].map((seed) => record('a', seed, { solved: { 8: 9 } }));
    expect(claim(better, runs)).toMatchObject({ verdict: 'not run', rules: [{ finding: 'not run: b' }] });
    const others = [1, 2].map((seed) => record('b', seed, { training: [1, 1] }));
    expect(claim(better, [...runs, ...others]).verdict).toBe('not run');
  });

  it('is not separable where every peak is the policy that the runs began with', () => {
    const falling = (variant: string) => (seed: number) =>
      record(variant, seed, { solved: { 0: 6, 8: variant === 'a' ? 5 : 2 } });
    const runs = [...[1, 2].map(falling('a')), ...[1, 2].map(falling('b'))];
    expect(claim({ ...better, at: 'peak' }, runs)).toMatchObject({
      verdict: 'not separable at this size',
      rules: [
        {
          finding: expect.stringContaining(
            'the peak of every run is the policy that it began with',
          ) as string,
        },
      ],
    });
    const risen = [...runs.slice(0, 3), record('b', 2, { solved: { 0: 6, 8: 7 } })];
    expect(claim({ ...better, at: 'peak' }, risen).rules[0]?.finding).not.toContain('began with');
  });

  it('pairs no states of different environments', () => {
    const runs = [1, 2].flatMap((seed) => [
      record('a', seed, { solved: { 8: 9 } }),
      record('lake', seed, { solved: { 8: 2 } }),
    ]);
    expect(claim({ ...better, second: 'lake' }, runs).rules[0]?.finding).toMatch(/2 seeds$/);
  });

  it('reads what an iteration takes of iterations only', () => {
    const training = [0, 0, 0, 0, 0, 0];
    const runs = [1, 2].flatMap((seed) => [
      record('a', seed, { training, seconds: 1, solved: { 6: 5 } }),
      record('b', seed, { training, seconds: 2, solved: { 6: 5 } }),
    ]);
    const findingOf = (metric: string): string | undefined =>
      claim({ ...better, metric }, runs).rules[0]?.finding;
    // with the validation after the last iteration as one of five it would be −0.8
    expect(findingOf('time/cpu_seconds')).toBe('−1 [−1, −1], 2 seeds');
    expect(findingOf('time/validate_seconds')).toBe('+0 [+0, +0], 2 seeds');
    expect(findingOf('validation/success_rate')).toContain('+0 points');
  });

  it('uses only seeds that both sides have', () => {
    const runs = [
      record('a', 1, { solved: { 8: 9 } }),
      record('a', 2, { solved: { 8: 9 } }),
      record('b', 2, { solved: { 8: 2 } }),
      record('b', 3, { solved: { 8: 2 } }),
    ];
    expect(claim(better, runs).rules[0]?.finding).toContain('1 seed');
  });
});

describe('a change within runs', () => {
  const falls: SweepRule = {
    kind: 'change',
    runs: 'a',
    from: 'peak',
    to: 'end',
    metric: 'validation/success_rate',
    expect: 'lower',
    margin: 0.1,
  };

  it('is counted from the peak of each run', () => {
    const collapsed = [1, 2].map((seed) => record('a', seed, { solved: { 0: 4, [4 * seed]: 10, 12: 1 } }));
    expect(claim(falls, collapsed)).toMatchObject({ verdict: 'holds' });
    const held = [1, 2].map((seed) => record('a', seed, { solved: { 0: 4, 12: 10 } }));
    expect(claim(falls, held)).toMatchObject({ verdict: 'does not hold' });
  });

  it('is not run where each run was validated once', () => {
    const once = [1, 2].map((seed) => record('a', seed, { solved: { 12: 10 } }));
    expect(claim({ ...falls, expect: 'not-lower' }, once)).toMatchObject({
      verdict: 'not run',
      rules: [{ finding: 'no run has validation/success_rate more than once' }],
    });
  });

  it('of a metric of training takes means of five at start and end', () => {
    const curve = [5, 4, 3, 2, 1, 9, 9, 1, 1, 1, 1, 1].map((value, index): [number, number] => [
      index + 1,
      value,
    ]);
    expect(momentOf(curve, 'start', 5)).toEqual({ step: 1, value: 3 });
    expect(momentOf(curve, 'end', 5)).toEqual({ step: 12, value: 1 });
    expect(momentOf(curve, 'peak', 5)).toEqual({ step: 6, value: 9 });
    expect(momentOf(curve, 'lowest', 5)).toEqual({ step: 5, value: 1 });
    expect(momentOf(curve, 7, 5)).toEqual({ step: 7, value: 9 });
    expect(momentOf([], 'end', 5)).toBeUndefined();
  });
});

/** 1 until a step, then 0. */
const falling = (at: number): number[] => Array.from({ length: 12 }, (_, index) => (index + 1 < at ? 1 : 0));

describe('an order of events', () => {
  const order: SweepRule = {
    kind: 'order',
    runs: 'a',
    first: { metric: 'rollout/reward_std', below: 0.5 },
    second: { metric: 'rollout/success_rate', below: 0.75 },
  };

  it('is dated at the second of two values whose mean is past the mark', () => {
    const points = falling(5).map((value, index): [number, number] => [index + 1, value]);
    // means of two: 0.5 at step 5, 0 at step 6
    expect([findEvent(points, 0.75, undefined), findEvent(points, 0.5, undefined)]).toEqual([5, 6]);
    expect(findEvent(points, undefined, 2)).toBeUndefined();
  });

  it('holds, does not hold, or cannot be seen', () => {
    // deviation past its mark at step 4, success at 9
    const seeds = [1, 2, 3, 4, 5, 6];
    const early = seeds.map((seed) => record('a', seed, { training: falling(9), deviation: falling(3) }));
    expect(claim(order, early)).toMatchObject({
      verdict: 'holds',
      rules: [
        {
          finding:
            'the first event came before in 6 of the 6 runs that tell, by 5 steps in the median; after in 0 and never in 0, which count against; at the same step in 0, which tell nothing (the second happened in 6 of 6 runs)',
        },
      ],
    });
    // five of six runs may be chance
    expect(claim(order, early.slice(1)).verdict).toBe('not separable at this size');
    const never = seeds.map((seed) => record('a', seed, { training: falling(9) }));
    expect(claim(order, never).verdict).toBe('does not hold');
    const healthy = [1, 2].map((seed) => record('a', seed, { training: falling(99) }));
    expect(claim(order, healthy)).toMatchObject({
      verdict: 'not separable at this size',
      rules: [{ finding: 'the second event happened in none of 2 runs' }],
    });
    const partly = claim({ ...order, runs: ['a', 'b'] } as SweepRule, healthy);
    expect(partly.rules[0]).toMatchObject({
      verdict: 'not run',
      finding: expect.stringContaining('not run: b; so far'),
    });
  });

  it('counts what never comes against it, and leaves out what comes at the same step', () => {
    // success is past its mark at step 5; deviation at 5, too, where it falls to less than a fifth at once
    const same = { training: falling(5), deviation: falling(5).map((value) => (value === 0 ? -0.1 : value)) };
    const after = { training: falling(5), deviation: falling(9) };
    const never = { training: falling(5) };
    const before = { training: falling(9), deviation: falling(3) };
    const recorded = [before, after, after, after, never, never, never, never, same, same];
    const runs = recorded.map((one, index) => record('a', index + 1, one));
    // 1 of 10 is more than chance explains, 1 of 8 is not
    expect(claim(order, runs)).toMatchObject({
      verdict: 'not separable at this size',
      rules: [
        {
          finding:
            'the first event came before in 1 of the 8 runs that tell, by 5 steps in the median; after in 3 and never in 4, which count against; at the same step in 2, which tell nothing (the second happened in 10 of 10 runs)',
        },
      ],
    });
    expect(claim(order, runs.slice(8))).toMatchObject({ verdict: 'not separable at this size' });
  });

  it('is told in words', () => {
    expect(describeRule(order)).toBe(
      'a: rollout/reward_std below 0.5 × its start comes before rollout/success_rate below 0.75 × its start',
    );
    expect(describeRule({ ...better, expect: 'equal', margin: 0.05 })).toBe(
      'validation/success_rate at end of a is equal within 5 points to that of b',
    );
  });
});

describe('an event that comes later in other runs', () => {
  const later: SweepRule = {
    kind: 'later',
    runs: ['a', 'c'],
    than: ['b', 'd'],
    event: { metric: 'rollout/success_rate', below: 0.75 },
  };
  const runsOf = (steps: Readonly<Record<string, number>>, seeds = [1, 2, 3]): EndedRun[] =>
    Object.entries(steps).flatMap(([variant, at]) =>
      seeds.map((seed) => record(variant, seed, { training: falling(at) })),
    );

  it('holds where it comes later, or not at all, in more pairs than chance explains', () => {
    const judged = claim(later, runsOf({ a: 9, b: 5, c: 99, d: 11 }));
    expect(judged).toMatchObject({
      verdict: 'holds',
      rules: [{ finding: 'later in 6 of the 6 pairs of runs that differ, in 3 not at all (of 6 pairs)' }],
    });
    expect(claim(later, runsOf({ a: 4, b: 5, c: 9, d: 99 })).verdict).toBe('does not hold');
  });

  it('compares variants one by one: each environment with itself', () => {
    // everything in c and d comes before everything in a and b
    const judged = claim(later, runsOf({ a: 11, b: 10, c: 5, d: 4 }));
    expect(judged.verdict).toBe('holds');
  });

  it('cannot be told where pairs do not differ, are few, or are missing', () => {
    expect(claim(later, runsOf({ a: 99, b: 99, c: 5, d: 5 }))).toMatchObject({
      verdict: 'not separable at this size',
      rules: [{ finding: 'no difference in any of 6 pairs of runs' }],
    });
    expect(claim(later, runsOf({ a: 9, b: 5, c: 99, d: 11 }, [1, 2])).verdict).toBe(
      'not separable at this size',
    );
    expect(claim(later, runsOf({ a: 9, b: 5, c: 99 }))).toMatchObject({
      verdict: 'not run',
      rules: [{ finding: 'not run: d' }],
    });
  });

  it('is told in words', () => {
    expect(describeRule(later)).toBe(
      'rollout/success_rate below 0.75 × its start comes later in a + c than in b + d, or not at all',
    );
  });
});
