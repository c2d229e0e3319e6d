import { describe, expect, it } from 'vitest';
import { diffSpecs, seedlessKey, spreadOf, summarizeMetric } from './compare-runs.js';

describe('the comparison of runs', () => {
  it('names only the options that differ, null where a run has none', () => {
    const differences = diffSpecs([
      { seed: 1, rollout: { promptsPerStep: 4 }, rewards: [{ use: 'a', weight: 1 }] },
      { seed: 2, rollout: { promptsPerStep: 4, groupSize: 2 }, rewards: [{ use: 'a', weight: 1 }] },
    ]);
    expect(differences).toEqual([
      { path: 'rollout.groupSize', values: [null, 2] },
      { path: 'seed', values: [1, 2] },
    ]);
  });

  it('groups by everything but seed and name', () => {
    const spec = { name: 'a', seed: 1, steps: 3 };
    expect(seedlessKey({ ...spec, name: 'b', seed: 2 })).toBe(seedlessKey(spec));
    expect(seedlessKey({ ...spec, steps: 4 })).not.toBe(seedlessKey(spec));
  });

  it('sums up what is a number, with the first step of each extreme', () => {
    expect(summarizeMetric([1, 2, 3, 4, 5], [2, 4, Number.NaN, 4, -1], 2)).toEqual({
      count: 4,
      last: -1,
      lastStep: 5,
      min: -1,
      minStep: 5,
      max: 4,
      maxStep: 2,
      tailMean: 1.5,
    });
    expect(summarizeMetric([1], [Number.NaN], 3)).toMatchObject({ count: 0, last: null, tailMean: null });
  });

  it('gives the spread of a sample', () => {
    expect(spreadOf([4, null, 2, 8, 6])).toEqual({
      count: 4,
      mean: 5,
      min: 2,
      max: 8,
      // 3.182 is Student's point for three degrees of freedom
      low: expect.closeTo(5 - (3.182 * Math.sqrt(20 / 3)) / 2, 9) as number,
      high: expect.closeTo(5 + (3.182 * Math.sqrt(20 / 3)) / 2, 9) as number,
      interquartileMean: 5,
      interquartileRange: 3,
      std: Math.sqrt(20 / 3),
    });
    expect(spreadOf([3])).toMatchObject({
      count: 1,
      std: 0,
      low: null,
      interquartileMean: 3,
      interquartileRange: 0,
    });
    expect(spreadOf([null])).toBeNull();
  });

  it('leaves outliers out of the mean of the middle half, values at its edge in part', () => {
    expect(spreadOf([-1000, 1, 2, 3, 1000])?.interquartileMean).toBeCloseTo(
      (0.75 * 1 + 2 + 0.75 * 3) / 2.5,
      12,
    );
  });
});
