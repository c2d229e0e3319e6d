import { describe, expect, it } from 'vitest';
import { broadcastToTokens, estimateGroupAdvantages, type GroupNormalization } from './group-relative.js';

const NORMALIZATIONS: GroupNormalization[] = ['group', 'batch', 'none'];

describe('estimateGroupAdvantages', () => {
  it('divides by the deviation of the group', () => {
    // totals 0, 2: mean 1, deviation sqrt(2); 10, 14: mean 12, deviation sqrt(8)
    const advantages = estimateGroupAdvantages([0, 2, 10, 14], [0, 0, 1, 1], 'group');
    const expected = [
      -1 / (Math.SQRT2 + 1e-6),
      1 / (Math.SQRT2 + 1e-6),
      -2 / (Math.sqrt(8) + 1e-6),
      2 / (Math.sqrt(8) + 1e-6),
    ];
    expect([...advantages]).toEqual(expected.map((value) => expect.closeTo(value, 12) as number));
  });

  it('divides by the deviation of the batch, so groups keep their relative scale', () => {
    // centred -1, 1, -2, 2: deviation sqrt(10 / 3)
    const advantages = estimateGroupAdvantages([0, 2, 10, 14], [0, 0, 1, 1], 'batch');
    const std = Math.sqrt(10 / 3) + 1e-6;
    [-1, 1, -2, 2].forEach((centred, i) => expect(advantages[i]).toBeCloseTo(centred / std, 12));
  });

  it('divides by nothing with `none`', () => {
    expect([...estimateGroupAdvantages([0, 2, 10, 14], [0, 0, 1, 1], 'none')]).toEqual([-1, 1, -2, 2]);
  });

  it('divides by the mean of the group, so that rare success weighs most (MaxRL)', () => {
    // means 1/4 and 3/4
    const advantages = estimateGroupAdvantages([1, 0, 0, 0, 1, 1, 1, 0], [0, 0, 0, 0, 1, 1, 1, 1], 'mean');
    [3, -1, -1, -1, 1 / 3, 1 / 3, 1 / 3, -1].forEach((value, i) =>
      expect(advantages[i]).toBeCloseTo(value, 12),
    );
    expect([...estimateGroupAdvantages([0, 0, 5], [0, 0, 1], 'mean')]).toEqual([0, 0, 5]);
  });

  it('refuses to divide by a mean that is not positive', () => {
    expect(() => estimateGroupAdvantages([0, -0.1], [0, 0], 'mean')).toThrow('mean total -0.05');
    expect(() => estimateGroupAdvantages([1, -1], [0, 0], 'mean')).toThrow('mean total 0');
    // less their mean, three totals add up to 3e-17, by which the advantages would be 1e16
    const centred = [0.1, 0.2, 0.3].map((total) => total - 0.2);
    expect(Math.abs(centred.reduce((sum, total) => sum + total, 0))).toBeGreaterThan(0);
    expect(() => estimateGroupAdvantages(centred, [0, 0, 0], 'mean')).toThrow('nothing can be divided');
    expect(estimateGroupAdvantages([1e-12, 0], [0, 0], 'mean')[0]).toBeCloseTo(1, 12);
  });

  it.each(NORMALIZATIONS)('sums to zero in every group (%s)', (normalization) => {
    const totals = [0.3, -1, 10.9, 2, 0.1, 0.1, 0.7, -5];
    const groups = [4, 9, 4, 9, 4, 9, 4, 9];
    const advantages = estimateGroupAdvantages(totals, groups, normalization);
    for (const group of [4, 9]) {
      const sum = [...advantages].filter((_, i) => groups[i] === group).reduce((a, b) => a + b, 0);
      expect(Math.abs(sum)).toBeLessThan(1e-12);
    }
  });

  it.each(NORMALIZATIONS)('is exactly 0 where all totals of a group are equal (%s)', (normalization) => {
    expect([...estimateGroupAdvantages([0.1, 0.1, 0.1], [0, 0, 0], normalization)]).toEqual([0, 0, 0]);
  });

  it('uses mean 0 and deviation 1 for a group of one', () => {
    expect(estimateGroupAdvantages([3], [0], 'group')[0]).toBeCloseTo(3, 5);
    expect(estimateGroupAdvantages([3], [0], 'none')[0]).toBe(3);
  });

  it('does not depend on the order of trajectories', () => {
    const totals = [0.1, 0.7, 0.3, 1.9];
    const forward = estimateGroupAdvantages(totals, [0, 0, 0, 0], 'group');
    const backward = estimateGroupAdvantages([...totals].reverse(), [0, 0, 0, 0], 'group');
    expect([...backward].reverse()).toEqual([...forward]);
  });
});

describe('broadcastToTokens', () => {
  it('gives loss tokens the advantage and other tokens 0', () => {
    const tokens = broadcastToTokens(
      [2, -1],
      [
        [1, 0, 1],
        [0, 1],
      ],
    );
    expect(tokens.map((array) => [...array])).toEqual([
      [2, 0, 2],
      [0, -1],
    ]);
  });
});
