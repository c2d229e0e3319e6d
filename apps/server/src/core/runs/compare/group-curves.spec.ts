import { describe, expect, it } from 'vitest';
import { alignByInterpolation, alignSteps, curveOf } from './group-curves.js';

const nan = Number.NaN;

describe('curves of groups', () => {
  it('keep each step where there are few, and a run counts only where it has a number', () => {
    const { x, runs } = alignSteps(
      [
        { x: [1, 2, 4], values: [1, nan, 3] },
        { x: [2, 4], values: [5, 7] },
      ],
      10,
    );
    expect(x).toEqual([1, 2, 4]);
    expect(runs).toEqual([
      [1, nan, 3],
      [nan, 5, 7],
    ]);
    expect(curveOf(runs, 3)).toMatchObject({
      counts: [1, 1, 2],
      mean: [1, 5, 5],
      min: [1, 5, 3],
      max: [1, 5, 7],
      low: [null, null, expect.closeTo(5 - 12.706 * 2, 9)],
      high: [null, null, expect.closeTo(5 + 12.706 * 2, 9)],
    });
  });

  it('form bins of equally many steps where there are more than points, a run with the mean of its values', () => {
    const { x, runs } = alignSteps([{ x: [1, 2, 3, 4, 5], values: [1, 3, 5, 7, 9] }], 3);
    expect([x, runs]).toEqual([[2, 4, 5], [[2, 6, 9]]]);
  });

  it('are interpolated where runs share no places, and end where a run ends', () => {
    const { x, runs } = alignByInterpolation(
      [
        { x: [0, 10, 20], values: [0, 1, 3] },
        { x: [5, nan, 15], values: [2, 9, 4] },
      ],
      5,
    );
    expect(x).toEqual([0, 5, 10, 15, 20]);
    expect(runs).toEqual([
      [0, 0.5, 1, 2, 3],
      [nan, 2, 3, 4, nan],
    ]);
    expect(curveOf(runs, 5)).toMatchObject({ counts: [1, 2, 2, 2, 1], mean: [0, 1.25, 2, 3, 3] });
  });

  it('have no places without a number', () => {
    const { x, runs } = alignByInterpolation([{ x: [], values: [] }], 5);
    expect([x, curveOf(runs, x.length)]).toEqual([
      [],
      { counts: [], mean: [], low: [], high: [], min: [], max: [] },
    ]);
  });
});
