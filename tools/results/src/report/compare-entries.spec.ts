import { describe, expect, it } from 'vitest';
import type { EntryResult } from '../collect/result.js';
import { describeDifference, permutationTest } from './compare-entries.js';

const entry = (name: string, rates: readonly number[]): EntryResult =>
  ({
    name,
    seeds: rates.map((success) => ({ end: { success, low: success - 0.03, high: success + 0.04 } })),
  }) as unknown as EntryResult;

describe('permutationTest', () => {
  it('is exact: 2 of 20 divisions when three values lie apart from three, all when none does', () => {
    expect(permutationTest([0.1, 0.2, 0.3], [0.7, 0.8, 0.9])).toBe(0.1);
    expect(permutationTest([0.7, 0.8, 0.9], [0.1, 0.2, 0.3])).toBe(0.1);
    expect(permutationTest([0.5, 0.5], [0.5, 0.5])).toBe(1);
    // divisions of {1, 2, 3, 6} into pairs: gaps 3, 2, 1 and their mirrors; the observed gap is 2
    expect(permutationTest([1, 3], [2, 6])).toBeCloseTo(4 / 6, 12);
  });
});

describe('describeDifference', () => {
  it('tests over seeds, falls back on states for one seed each, and tests nothing in between', () => {
    const three = entry('a', [0.1, 0.2, 0.3]);
    const apart = entry('b', [0.7, 0.8, 0.9]);
    expect(describeDifference(three, apart)).toContain('`b` minus `a`: +60.0 points (3 and 3 seeds');
    expect(describeDifference(three, apart)).toContain('p = 0.100');
    expect(describeDifference(entry('a', [0.4]), entry('b', [0.5]))).toContain('+10.0 points [5.0, 15.0]');
    expect(describeDifference(three, entry('b', [0.5]))).toContain('there is no test');
  });
});
