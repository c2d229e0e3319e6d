import { describe, expect, it } from 'vitest';
import { estimateMoments, gatherMasked } from './statistics.js';
import { whiten } from './whiten.js';

describe('whiten', () => {
  it('matches a case computed by hand', () => {
    // loss entries 1, 3, 5: mean 3, deviation 2
    const whitened = whiten([[1, 100, 3], [5]], [[1, 0, 1], [1]]);
    const unit = 2 / (2 + 1e-8);
    expect(whitened.map((array) => [...array])).toEqual([[-unit, 0, 0], [unit]]);
  });

  it('gives mean 0 and deviation 1 over loss tokens, whatever the other entries', () => {
    const lossMask = [
      [1, 1, 0, 1],
      [0, 1, 1],
    ];
    const arrays = [
      [0.2, 7, 1e9, -3],
      [NaN, 2, 2.5],
    ];
    const { mean, std } = estimateMoments(gatherMasked(whiten(arrays, lossMask), lossMask));
    expect(mean).toBeCloseTo(0, 12);
    expect(std).toBeCloseTo(1, 7);
  });

  it('maps a single loss entry, or equal entries, to 0', () => {
    expect([...(whiten([[4]], [[1]])[0] as Float64Array)]).toEqual([0]);
    expect([...(whiten([[0.1, 0.1, 0.1]], [[1, 1, 1]])[0] as Float64Array)]).toEqual([0, 0, 0]);
  });

  it('names the trajectory whose mask has another length', () => {
    expect(() => whiten([[1], [1, 2]], [[1], [1]])).toThrow('whiten, trajectory 1: lengths differ');
  });
});
