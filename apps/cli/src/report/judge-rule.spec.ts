import { describe, expect, it } from 'vitest';
import {
  type Expectation,
  hullOf,
  judgeClaim,
  judgeCount,
  judgeInterval,
  type Verdict,
} from './judge-rule.js';

const open = 'not separable at this size';

describe('judgeInterval', () => {
  it.each<[low: number, high: number, expect: Expectation, margin: number, verdict: Verdict]>([
    [0.01, 0.2, 'higher', 0, 'holds'],
    [-0.01, 0.2, 'higher', 0, open],
    [-0.2, -0.01, 'higher', 0, 'does not hold'],
    // no difference at all is not higher
    [0, 0, 'higher', 0, 'does not hold'],
    // higher, but surely by less than the margin
    [0.01, 0.09, 'higher', 0.1, 'does not hold'],
    [0.05, 0.2, 'higher', 0.1, open],
    [-0.3, -0.11, 'lower', 0.1, 'holds'],
    [-0.3, -0.05, 'lower', 0.1, open],
    [-0.05, 0.3, 'lower', 0.1, 'does not hold'],
    [-0.05, 0.3, 'not-lower', 0.1, 'holds'],
    [-0.15, 0.3, 'not-lower', 0.1, open],
    [-0.3, -0.15, 'not-lower', 0.1, 'does not hold'],
    [-0.3, 0.05, 'not-higher', 0.1, 'holds'],
    [0.05, 0.15, 'not-higher', 0.1, open],
    [0.15, 0.3, 'not-higher', 0.1, 'does not hold'],
    [-0.04, 0.05, 'equal', 0.05, 'holds'],
    [-0.04, 0.06, 'equal', 0.05, open],
    [0.06, 0.09, 'equal', 0.05, 'does not hold'],
    [-Infinity, Infinity, 'higher', 0, open],
    [Number.NaN, Number.NaN, 'higher', 0, 'not run'],
  ])('[%d, %d] expected %s by %d: %s', (low, high, expected, margin, verdict) => {
    expect(judgeInterval({ mean: 0, low, high }, expected, margin)).toBe(verdict);
  });
});

describe('hullOf', () => {
  it('is as wide as seeds or states leave it, on each side', () => {
    // seeds: mean 0.2, deviation 0.1, 4.303 · 0.1/√3 = 0.24843; all states alike
    const bySeeds = hullOf({ ofSeeds: [0.1, 0.2, 0.3], ofStates: [0.2, 0.2, 0.2, 0.2] });
    expect([bySeeds.mean, bySeeds.low, bySeeds.high]).toEqual([
      expect.closeTo(0.2, 10),
      expect.closeTo(-0.04843, 4),
      expect.closeTo(0.44843, 4),
    ]);
    // all seeds alike; states of 0 and 1 spread
    const byStates = hullOf({ ofSeeds: [0.5, 0.5], ofStates: [0, 1, 0, 1] });
    expect(byStates.low).toBeLessThan(0.1);
    expect(byStates.high).toBeGreaterThan(0.9);
  });

  it('has no bounds with one seed, however many states agree', () => {
    const interval = hullOf({ ofSeeds: [0.5], ofStates: Array.from({ length: 200 }, () => 0.5) });
    expect(judgeInterval(interval, 'higher', 0)).toBe(open);
  });
});

describe('judgeCount', () => {
  it.each<[yes: number, runs: number, verdict: Verdict]>([
    // 2 / 2^6 = 0.031; 2 · (1 + 6) / 2^6 = 0.22; 2 · (1 + 9) / 2^9 = 0.039
    [6, 6, 'holds'],
    [5, 6, open],
    [8, 9, 'holds'],
    [0, 6, 'does not hold'],
    [5, 5, open],
    [0, 0, open],
  ])('%d of %d runs: %s', (yes, runs, verdict) => {
    expect(judgeCount(yes, runs)).toBe(verdict);
  });
});

describe('judgeClaim', () => {
  it.each<['all' | 'any', Verdict[], Verdict]>([
    ['all', ['holds', 'holds'], 'holds'],
    ['all', ['holds', open], open],
    ['all', ['holds', 'not run'], 'not run'],
    ['all', [open, 'not run', 'does not hold'], 'does not hold'],
    ['any', ['does not hold', 'holds', 'not run'], 'holds'],
    ['any', ['does not hold', 'does not hold'], 'does not hold'],
    ['any', ['does not hold', open], open],
    ['any', ['does not hold', 'not run'], 'not run'],
  ])('that needs %s of %j: %s', (need, rules, verdict) => {
    expect(judgeClaim(need, rules)).toBe(verdict);
  });
});
