import { describe, expect, it } from 'vitest';
import { normalizeRewards } from './normalize-rewards.js';

/** Two turns of one token each. */
const play = (group: number, first: number, last: number) => ({
  group,
  total: first + last,
  rewards: Float64Array.from([first, last]),
  lossMask: Uint8Array.from([1, 1]),
  turnEnds: [0, 1],
});
// totals 1 3 | 4; the third is alone with its state
const played = [play(0, 1, 0), play(0, 0, 3), play(1, 2, 2)];
const tags = ['lake', 'arms', 'arms'];
const rewardsOf = (options: Parameters<typeof normalizeRewards>[2], given = played) =>
  normalizeRewards(given, tags, options).map(({ rewards, total }) => {
    expect(rewards.reduce((sum, reward) => sum + reward, 0)).toBeCloseTo(total, 12);
    return [...rewards];
  });

describe('normalizeRewards', () => {
  it('takes off the mean of a state, of all, or of a tag, at the last turn, by hand', () => {
    expect(rewardsOf({ by: 'state', method: 'mean' })).toEqual([
      [1, -2],
      [0, 1],
      [2, 2],
    ]);
    const [first, second, third] = rewardsOf({ by: 'batch', method: 'mean' });
    expect(first?.[1]).toBeCloseTo(-8 / 3, 12);
    expect(second?.[1]).toBeCloseTo(3 - 8 / 3, 12);
    expect(third?.[1]).toBeCloseTo(2 - 8 / 3, 12);
    expect(rewardsOf({ by: 'tag', method: 'mean' })).toEqual([
      [1, 0],
      [0, -0.5],
      [2, -1.5],
    ]);
  });

  it('divides by the deviation, each turn as the total', () => {
    const [first = [], second = [], third] = rewardsOf({ by: 'state', method: 'mean-std' });
    const scale = 1 / (Math.SQRT2 + 1e-6);
    [1, -2].forEach((value, t) => expect(first[t]).toBeCloseTo(value * scale, 12));
    [0, 1].forEach((value, t) => expect(second[t]).toBeCloseTo(value * scale, 12));
    expect(third).toEqual([2, 2]);
  });

  it('bounds what is normalised within −1 and 3', () => {
    // fifteen failures and one success: −0.25 and 3.75 deviations
    const rare = [play(0, 0, 16), ...Array.from({ length: 15 }, () => play(0, 0, 0))];
    const often = [play(0, 0, 0), ...Array.from({ length: 15 }, () => play(0, 0, 16))];
    const total = (given: typeof rare) =>
      normalizeRewards(given, [], { by: 'batch', method: 'asymmetric-clip' }).map((one) => one.total);
    expect(total(rare)[0]).toBe(3);
    expect(total(rare)[1]).toBeCloseTo(-0.25, 6);
    expect(total(often)[0]).toBe(-1);
    expect(total(often)[1]).toBeCloseTo(0.25, 6);
  });

  it('makes equal totals 0, and none of it NaN', () => {
    const equal = [play(0, 0.1, 0.2), play(0, 0.1, 0.2), play(0, 0.2, 0.1)];
    for (const method of ['mean-std', 'asymmetric-clip'] as const)
      expect(normalizeRewards(equal, [], { by: 'state', method }).map(({ total }) => total)).toEqual([
        0, 0, 0,
      ]);
  });

  it('scales evidence too, and leaves its input alone', () => {
    const shown = { ...play(0, 2, 0), evidence: Float64Array.from([1, 0]) };
    const [first] = normalizeRewards([shown, play(0, 0, 0)], [], { by: 'state', method: 'mean-std' });
    expect(first?.evidence?.[0]).toBeCloseTo(1 / Math.SQRT2, 5);
    expect([...shown.rewards]).toEqual([2, 0]);
    expect(normalizeRewards(played, tags, { by: 'state', method: 'identity' })).toBe(played);
  });
});
