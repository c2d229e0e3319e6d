import { describe, expect, it } from 'vitest';
import {
  estimateLeaveOneOut,
  estimateLengthWeighted,
  estimateRoleAdvantages,
  listGroups,
} from './baselines.js';

describe('leave-one-out', () => {
  it('compares each total with the mean of the others, by hand', () => {
    expect([...estimateLeaveOneOut([3, 1, 2, 10, 4], [0, 0, 0, 7, 7])]).toEqual([1.5, -1.5, 0, 6, -6]);
  });

  it('is G / (G − 1) times the difference from the mean', () => {
    const totals = [0, 0, 1, -0.1];
    const mean = totals.reduce((sum, total) => sum + total, 0) / 4;
    expect([...estimateLeaveOneOut(totals, [1, 1, 1, 1])]).toEqual(
      totals.map((total) => expect.closeTo((4 / 3) * (total - mean), 12) as number),
    );
  });

  it('gives exactly 0 to ties and to a group of one', () => {
    expect([...estimateLeaveOneOut([0.1, 0.1, 0.1, 5], [0, 0, 0, 1])]).toEqual([0, 0, 0, 0]);
  });

  it('passes on a total that is no number, to those that it is compared with too', () => {
    const advantages = estimateLeaveOneOut([Number.NaN, 1, 2], [0, 0, 1]);
    expect([...advantages].map(Number.isNaN)).toEqual([true, true, false]);
  });

  it('refuses totals without a group', () => {
    expect(() => estimateLeaveOneOut([1, 2], [0])).toThrow(/totals \[2\], groups \[1\]/);
  });
});

describe('the length-weighted baseline', () => {
  it('counts long trajectories more, by hand', () => {
    // (1 · 4 + 3 · 0) / 4 = 1
    expect([...estimateLengthWeighted([4, 0], [0, 0], [1, 3])]).toEqual([3, -1]);
  });

  it('is the mean where all are equally long', () => {
    expect([...estimateLengthWeighted([4, 0, 8], [0, 0, 5], [2, 2, 9])]).toEqual([2, -2, 0]);
  });

  it('makes the sum of length times advantage 0', () => {
    const lengths = [5, 2, 9];
    const advantages = estimateLengthWeighted([1, 0, -0.2], [3, 3, 3], lengths);
    const sum = advantages.reduce((total, advantage, i) => total + advantage * (lengths[i] as number), 0);
    expect(sum).toBeCloseTo(0, 12);
  });

  it('gives exactly 0 to ties', () => {
    expect([...estimateLengthWeighted([0.1, 0.1], [0, 0], [3, 7])]).toEqual([0, 0]);
  });

  it('refuses a trajectory without loss tokens', () => {
    expect(() => estimateLengthWeighted([1, 2], [0, 0], [4, 0])).toThrow('trajectory 1 has 0 loss tokens');
  });
});

describe('the members of groups', () => {
  it('are listed in order of appearance', () => {
    expect(listGroups([7, 2, 7, 2, 2])).toEqual([
      [0, 2],
      [1, 3, 4],
    ]);
    expect(listGroups([])).toEqual([]);
  });
});

describe('moving average of a role', () => {
  const estimate = (totals: number[], roles: string[], start: [string, number][] = [], memory = 0.5) => {
    const { advantages, averages } = estimateRoleAdvantages(totals, roles, { start: new Map(start), memory });
    return { advantages: [...advantages], averages: [...averages] };
  };

  it('is what a total is compared with, and moves after it, by hand', () => {
    // before each total the average is 0, 2, 1, 0.5
    expect(estimate([4, 0, 0, 8], ['a', 'a', 'a', 'a'])).toEqual({
      advantages: [4, -2, -1, 7.5],
      averages: [['a', 4.25]],
    });
    // three quarters of 8 are left, and a quarter of 4 comes on top
    expect(estimate([4], ['a'], [['a', 8]], 0.75)).toEqual({ advantages: [-4], averages: [['a', 7]] });
  });

  it('is one for each role, also where roles alternate, and stays where a role earned nothing', () => {
    expect(estimate([4, -4, 4, -4], ['first', 'second', 'first', 'second'], [['third', 3]])).toEqual({
      advantages: [4, -4, 2, -2],
      averages: [
        ['third', 3],
        ['first', 3],
        ['second', -3],
      ],
    });
  });

  it('without memory is the total before, and goes on where another call ended', () => {
    expect(estimate([1, 1, 5], ['a', 'a', 'a'], [], 0).advantages).toEqual([1, 0, 4]);
    const whole = estimate([3, 1, 2, 9], ['a', 'b', 'a', 'b'], [], 0.95);
    const first = estimate([3, 1], ['a', 'b'], [], 0.95);
    const second = estimate([2, 9], ['a', 'b'], first.averages, 0.95);
    expect([...first.advantages, ...second.advantages]).toEqual(whole.advantages);
    expect(second.averages).toEqual(whole.averages);
  });

  it('refuses totals without a role', () => {
    expect(() => estimate([1, 2], ['a'])).toThrow(/totals \[2\], roles \[1\]/);
  });
});
