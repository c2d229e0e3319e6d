import { describe, expect, it } from 'vitest';
import { finiteDifference, randomArray } from './numeric.js';
import { toBeCloseToTensor } from './tensor-matchers.js';

describe('toBeCloseToTensor', () => {
  it('measures against the largest expected entry', () => {
    expect(toBeCloseToTensor([100, 1.05], [100, 1], { relative: 1e-3 }).pass).toBe(true);
    expect(toBeCloseToTensor([100, 1.2], [100, 1], { relative: 1e-3 }).pass).toBe(false);
  });

  it('names the worst entry', () => {
    expect(toBeCloseToTensor([1, 2, 9], [1, 2, 3], { absolute: 0.1 }).message()).toContain(
      'entry 2 is 9, expected 3',
    );
  });

  it('treats NaN and infinity as equal only to themselves', () => {
    expect(toBeCloseToTensor([NaN, Infinity], [NaN, Infinity], { absolute: 1 }).pass).toBe(true);
    expect(toBeCloseToTensor([NaN], [1], { absolute: 1e9 }).pass).toBe(false);
    expect(toBeCloseToTensor([1e30], [Infinity], { absolute: 1 }).pass).toBe(false);
  });

  it('rejects arrays of different lengths', () => {
    expect(toBeCloseToTensor([1], [1, 2], { absolute: 1 }).pass).toBe(false);
  });
});

describe('finiteDifference', () => {
  it('differentiates without changing the array', () => {
    const at = Float64Array.of(1, 2);
    const slopes = finiteDifference(() => (at[0] as number) ** 2 * (at[1] as number), at);
    expect(slopes[0]).toBeCloseTo(4, 8);
    expect(slopes[1]).toBeCloseTo(1, 8);
    expect(at).toEqual(Float64Array.of(1, 2));
  });
});

describe('randomArray', () => {
  it('returns the same numbers for the same seed, within the range', () => {
    expect(randomArray(50, 3, 2, 4)).toEqual(randomArray(50, 3, 2, 4));
    expect(randomArray(50, 3)).not.toEqual(randomArray(50, 4));
    expect(randomArray(200, 1, 2, 4).every((x) => x >= 2 && x < 4)).toBe(true);
  });
});
