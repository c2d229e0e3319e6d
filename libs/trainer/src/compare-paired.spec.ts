import { describe, expect, it } from 'vitest';
import { comparePaired } from './compare-paired.js';
import type { EpisodeOutcome } from './evaluation.js';

const outcomes = (successes: string, firstSeed = 100): EpisodeOutcome[] =>
  [...successes].map((letter, index) => ({
    stateSeed: firstSeed + index,
    success: letter === '1',
    total: 0,
    stopReason: letter === '1' ? 'success' : 'failure',
    turns: 1,
    actions: 1,
    formatShare: 1,
  }));

describe('comparePaired', () => {
  it('agrees with a case worked by hand', () => {
    // differences 1 0 0 1 -1 0 1 0: mean 0.25, sum of squares about it 4 − 8·0.0625 = 3.5, sd² 0.5
    const result = comparePaired(outcomes('01001100'), outcomes('11010110'));
    expect(result.states).toBe(8);
    expect(result.difference).toBeCloseTo(0.25, 12);
    expect(result.high - result.difference).toBeCloseTo(1.959963984540054 * 0.25, 12); // √(0.5 / 8) = 0.25
    expect(result.low).toBeCloseTo(0.25 - 0.4899909961350135, 12);
    expect([result.gained, result.lost]).toEqual([3, 1]);
  });

  it('matches states by seed, whatever their order', () => {
    const first = outcomes('0110');
    const shuffled = [...outcomes('1110')].reverse();
    expect(comparePaired(first, shuffled)).toEqual(comparePaired(first, outcomes('1110')));
  });

  it('gives an interval of no width for equal evaluations', () => {
    const result = comparePaired(outcomes('0101'), outcomes('0101'));
    expect([result.difference, result.low, result.high]).toEqual([0, 0, 0]);
  });

  it('refuses evaluations of different states', () => {
    expect(() => comparePaired(outcomes('0101'), outcomes('0101', 500))).toThrow(
      expect.objectContaining({
        code: 'contracts.invalid_value',
        message: expect.stringContaining('0 state(s) in common of 4 and 4'),
      }),
    );
  });
});
