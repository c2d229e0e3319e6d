import { describe, expect, it } from 'vitest';
import { estimateGroupSuccess } from './group-success.js';
import { wilsonInterval } from './wilson.js';

describe('estimateGroupSuccess', () => {
  it('is the mean of pass rates, for as many trajectories as they are worth, by hand', () => {
    // (2/2 + 2/8) / 2; 2² / (1/2 + 1/8) = 6.4 trajectories, 4 of which pass
    const { rate, ...interval } = estimateGroupSuccess([
      [2, 2],
      [2, 8],
    ]);
    expect(rate).toBe(0.625);
    const expected = wilsonInterval(4, 6.4);
    expect(interval.low).toBeCloseTo(expected.low, 12);
    expect(interval.high).toBeCloseTo(expected.high, 12);
  });

  it('is that of all trajectories, to the last bit, with groups of one size', () => {
    for (let groups = 1; groups <= 40; groups++)
      for (let size = 1; size <= 17; size++) {
        const counts = Array.from(
          { length: groups },
          (_, i) => [(i * 7 + groups) % (size + 1), size] as const,
        );
        const successes = counts.reduce((sum, [own]) => sum + own, 0);
        expect(estimateGroupSuccess(counts)).toEqual({
          rate: successes / (groups * size),
          ...wilsonInterval(successes, groups * size),
        });
      }
  });

  it('stays at its ends, and leaves out groups without trajectories', () => {
    const sizes = [1, 3, 7, 11, 13];
    expect(estimateGroupSuccess(sizes.map((size) => [size, size]))).toMatchObject({ rate: 1, high: 1 });
    expect(estimateGroupSuccess(sizes.map((size) => [0, size]))).toMatchObject({ rate: 0, low: 0 });
    expect(estimateGroupSuccess([[1, 2], [0, 0]])).toEqual(estimateGroupSuccess([[1, 2]])); // prettier-ignore
    expect(estimateGroupSuccess([])).toEqual({ rate: 0, low: 0, high: 1 });
  });

  it('does not fall where the uncertain groups get more trajectories', () => {
    // eight states that are always passed, two that are passed half of the time
    const sure = Array.from({ length: 8 }, () => [4, 4] as const);
    const even = [...sure, [2, 4], [2, 4]] as const;
    const adapted = [...sure, [8, 16], [8, 16]] as const;
    expect(estimateGroupSuccess(adapted).rate).toBeCloseTo(0.9, 12);
    expect(estimateGroupSuccess(even).rate).toBeCloseTo(0.9, 12);
  });
});
