import { describe, expect, it } from 'vitest';
import { estimateLeaveOneOut, estimateLengthWeighted, listGroups } from './baselines.js';

describe('leave-one-out', () => {
  it('compares each total with the mean of the others, by hand', () => {
    expect([...estimateLeaveOneOut([3, 1, 2, 10, 4], [0, 0, 0, 7, 7])]).toEqual([1.5, -1.5, 0, 6, -6]);
  });

  it('is G / (G − 1) times the difference from the mean', () => {
    const totals = [0, 0, 1, -0.1];
    const mean = totals.reduce((sum, total) => sum + total, 0) / 4;
    estimateLeaveOneOut(totals, [1, 1, 1, 1]).forEach((advantage, i) =>
      expect(advantage).toBeCloseTo((4 / 3) * ((totals[i] as number) - mean), 12),
    );
  });

  it('gives exactly 0 to ties and to a group of one', () => {
    expect([...estimateLeaveOneOut([0.1, 0.1, 0.1, 5], [0, 0, 0, 1])]).toEqual([0, 0, 0, 0]);
  });

  it('passes on a total that is no number, to those that it is compared with too', () => {
    const advantages = estimateLeaveOneOut([Number.NaN, 1, 2], [0, 0, 1]);
    expect([...advantages].map(Number.isNaN)).toEqual([true, true, false]);
  });

  it('refuses totals without a group', () => {
    expect(() => estimateLeaveOneOut([1, 2], [0])).toThrow(/totals \[2\], groups \[1\]/);
  });
});

describe('the length-weighted baseline', () => {
  it('counts long trajectories more, by hand', () => {
    // (1 · 4 + 3 · 0) / 4 = 1
    expect([...estimateLengthWeighted([4, 0], [0, 0], [1, 3])]).toEqual([3, -1]);
  });

  it('is the mean where all are equally long', () => {
    expect([...estimateLengthWeighted([4, 0, 8], [0, 0, 5], [2, 2, 9])]).toEqual([2, -2, 0]);
  });

  it('makes the sum of length times advantage 0', () => {
    const lengths = [5, 2, 9];
    const advantages = estimateLengthWeighted([1, 0, -0.2], [3, 3, 3], lengths);
    const sum = advantages.reduce((total, advantage, i) => total + advantage * (lengths[i] as number), 0);
    expect(sum).toBeCloseTo(0, 12);
  });

  it('gives exactly 0 to ties', () => {
    expect([...estimateLengthWeighted([0.1, 0.1], [0, 0], [3, 7])]).toEqual([0, 0]);
  });

  it('refuses a trajectory without loss tokens', () => {
    expect(() => estimateLengthWeighted([1, 2], [0, 0], [4, 0])).toThrow('trajectory 1 has 0 loss tokens');
  });
});

describe('the members of groups', () => {
  it('are listed in order of appearance', () => {
    expect(listGroups([7, 2, 7, 2, 2])).toEqual([
      [0, 2],
      [1, 3, 4],
    ]);
    expect(listGroups([])).toEqual([]);
  });
});
