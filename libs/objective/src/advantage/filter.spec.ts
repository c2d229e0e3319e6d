import { describe, expect, it } from 'vitest';
import { filterByVariance, keptGroupCount } from './filter.js';

describe('filterByVariance', () => {
  it('treats deviations that differ only by rounding as equal', () => {
    const oneOfFive = [1, 0, 0, 0, 0];
    const fourOfFive = [1, 1, 1, 1, 0];
    for (const groups of [
      [oneOfFive, fourOfFive],
      [fourOfFive, oneOfFive],
    ]) {
      const { kept, deviations } = filterByVariance(groups as number[][], 0.5);
      expect(deviations[0]).not.toBe(deviations[1]);
      expect(kept).toEqual([0]);
    }
  });

  it('keeps the groups whose totals differ most, in order, with reasons', () => {
    const filter = filterByVariance(
      [
        [0, 1],
        [5, 5],
        [0, 10],
        [0, 2],
      ],
      0.5,
    );
    expect(filter.kept).toEqual([2, 3]);
    expect(filter.reasons).toEqual(['low variance', 'zero variance', 'kept', 'kept']);
    expect(filter.deviations[3]).toBeCloseTo(Math.SQRT2, 12);
  });

  it('breaks ties by the lower index, whatever the order of the totals', () => {
    expect(
      filterByVariance(
        [
          [0.1, 0.7, 0.4],
          [0.7, 0.4, 0.1],
          [0.4, 0.1, 0.7],
        ],
        0.4,
      ).kept,
    ).toEqual([0]);
  });

  it('keeps at least one group, even when no group varies', () => {
    expect(
      filterByVariance(
        [
          [1, 1],
          [2, 2],
        ],
        0.25,
      ).kept,
    ).toEqual([0]);
  });

  it('keeps all groups with ratio 1, and none when there are none', () => {
    expect(
      filterByVariance(
        [
          [0, 1],
          [1, 1],
        ],
        1,
      ).kept,
    ).toEqual([0, 1]);
    expect(filterByVariance([], 0.5).kept).toEqual([]);
  });

  it('rejects a ratio outside (0, 1]', () => {
    expect(() => filterByVariance([[0, 1]], 0)).toThrow('ratio is 0; expected a number in (0, 1]');
  });
});

describe('keptGroupCount', () => {
  it('corrects for binary fractions', () => {
    expect(keptGroupCount(100, 0.29)).toBe(29);
  });

  it('is rounded down, but at least one', () => {
    expect([
      keptGroupCount(8, 0.25),
      keptGroupCount(8, 0.3),
      keptGroupCount(3, 0.25),
      keptGroupCount(0, 0.5),
    ]).toEqual([2, 2, 1, 0]);
  });
});
