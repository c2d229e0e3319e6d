import { describe, expect, it } from 'vitest';
import { baselineOf, estimateNoise, noMemory, remember } from './observation.js';

const times = (count: number, value: number): number[] => Array<number>(count).fill(value);

describe('what is remembered of an input', () => {
  it('is the first ten values, the latest ten and the best mean of five', () => {
    const { decline: _decline, ...memory } = [1, 2, 3, 4, 5, 6, 5, 4, 3, 2, 1, 0].reduce(remember, noMemory);
    expect(memory).toEqual({
      first: [1, 2, 3, 4, 5, 6, 5, 4, 3, 2],
      recent: [3, 4, 5, 6, 5, 4, 3, 2, 1, 0],
      count: 12,
      best: (4 + 5 + 6 + 5 + 4) / 5,
    });
  });

  it('sums what lies below the first two values, in deviations of the noise', () => {
    const declines = [...times(5, 0.4), 0.3, 0.33].map(
      (_, index, all) => all.slice(0, index + 1).reduce(remember, noMemory).decline,
    );
    // ln(0.4/0.3) over the least noise is 5.8, of which 3 count; then ln(0.4/0.33) over the noise of five zeros and −0.288
    const noise = Math.sqrt(Math.log(4 / 3) ** 2 / 5 / 2);
    expect(declines.slice(0, 6)).toEqual([0, 0, 0, 0, 0, 2.75]);
    expect(declines[6]).toBeCloseTo(2.75 + Math.log(0.4 / 0.33) / noise - 0.25, 9);
    // what rises takes it back, never below zero; without a start there is nothing to fall from
    expect([...times(5, 0.4), 0.3, ...times(4, 0.8)].reduce(remember, noMemory).decline).toBe(0);
    expect(times(7, 0).reduce(remember, noMemory).decline).toBe(0);
    // two lucky values, and a third beside them: 4.9 and 5.6 deviations of that noise, of which one counts each time
    expect([0.47, 0.45, 0.49, 0.36, 0.22].reduce(remember, noMemory).decline).toBeCloseTo(1.5, 9);
  });

  it('leaves out what is no number', () => {
    expect(remember(noMemory, Number.NaN)).toEqual(noMemory);
    expect(remember(noMemory, undefined)).toEqual(noMemory);
  });

  it('has a baseline that the window does not cover', () => {
    const after = (count: number) => [10, 20, 30, 40, 50, 60].slice(0, count).reduce(remember, noMemory);
    expect([3, 4, 5, 6].map((count) => baselineOf(after(count), 3))).toEqual([undefined, 10, 15, 20]);
  });

  it('estimates noise from neighbours, so that a slope adds little', () => {
    // differences 2, -2, 2: mean square 4, half of it 2
    expect(estimateNoise([0, 2, 0, 2].reduce(remember, noMemory))).toBeCloseTo(Math.sqrt(2), 12);
    expect(estimateNoise([0, 0.1, 0.2, 0.3].reduce(remember, noMemory))).toBeCloseTo(0.1 / Math.SQRT2, 12);
  });
});
