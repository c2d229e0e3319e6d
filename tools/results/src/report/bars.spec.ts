import { describe, expect, it } from 'vitest';
import type { SeedResult } from '../collect/result.js';
import { judgeSeed } from './bars.js';

const seed = (rates: readonly number[], { gain = 0.5, low = 0.4, minutesEach = 1 } = {}): SeedResult =>
  ({
    difference: { difference: gain, low },
    validations: rates.map((success, index) => ({ step: 10 * index, minutes: index * minutesEach, success })),
  }) as unknown as SeedResult;

describe('a bar of success that holds', () => {
  const bar = { success: 0.95, holdSteps: 20 };

  it('is reached when every validation from twenty iterations later on is above it', () => {
    expect(judgeSeed(seed([0.4, 0.96, 0.94, 0.97, 0.95]), bar, 10)).toEqual({
      isMet: true,
      finding: 'reached at 10, lowest afterwards 94.0 %',
    });
  });

  it('is missed when success falls again, comes too late to hold, or after the time is over', () => {
    expect(judgeSeed(seed([0.4, 0.96, 0.96, 0.5]), bar, 10).isMet).toBe(false);
    expect(judgeSeed(seed([0.4, 0.5, 0.5, 0.96]), bar, 10).isMet).toBe(false);
    expect(judgeSeed(seed([0.4, 0.96, 0.96, 0.96], { minutesEach: 5 }), bar, 5).isMet).toBe(false);
    expect(judgeSeed(seed([0.4, 0.5]), bar, 10).finding).toBe('never at 95 %');
  });
});

describe('a bar of gain', () => {
  it('needs the gain and an interval above zero', () => {
    expect(judgeSeed(seed([]), { gain: 0.2 }, 10)).toEqual({ isMet: true, finding: '50.0 points' });
    expect(judgeSeed(seed([], { gain: 0.19 }), { gain: 0.2 }, 10).isMet).toBe(false);
    expect(judgeSeed(seed([], { low: -0.01 }), { gain: 0.2 }, 10).isMet).toBe(false);
  });
});
