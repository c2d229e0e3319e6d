import { describe, expect, it } from 'vitest';
import { binsOf, quantilesOf } from './rewards.js';

describe('quantilesOf', () => {
  it('lies between the two values around it', () => {
    expect(quantilesOf([4, 1, 3, 2, 5])).toEqual({
      p10: expect.closeTo(1.4) as number,
      p25: 2,
      median: 3,
      p75: 4,
      p90: expect.closeTo(4.6) as number,
    });
    expect(quantilesOf([7])).toEqual({ p10: 7, p25: 7, median: 7, p75: 7, p90: 7 });
    expect(quantilesOf([])).toBeUndefined();
  });
});

describe('binsOf', () => {
  it('has one for each value where few are distinct', () => {
    expect(binsOf([1, 0, 1, 0.5])).toEqual([
      { least: 0, most: 0, count: 1 },
      { least: 0.5, most: 0.5, count: 1 },
      { least: 1, most: 1, count: 2 },
    ]);
    expect(binsOf([])).toEqual([]);
  });

  it('has equal widths otherwise, and ends that choose exactly what is counted', () => {
    const values = Array.from({ length: 100 }, (_, at) => (at * 37) % 100);
    const bins = binsOf(values);
    expect(bins).toHaveLength(16);
    for (const { least, most, count } of bins)
      expect(values.filter((value) => value >= least && value <= most)).toHaveLength(count);
    expect(bins.reduce((sum, { count }) => sum + count, 0)).toBe(100);
    // what is far from all others leaves none between
    expect(binsOf([...Array.from({ length: 20 }, (_, at) => at / 100), 50])).toHaveLength(2);
  });
});
