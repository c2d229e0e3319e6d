import { testAlgorithm } from '@espalier/plugin-kit/testing';
import { describe, expect, it } from 'vitest';
import reinforce from './index.js';

const parse = (options: object = {}) => reinforce.params.parse(options);
// two turns with an observation between them; the reward of the second is at a token outside the loss
const trajectory = (group: number, first: number, second: number) => ({
  group,
  total: first + second,
  rewards: Float64Array.from([0, first, 0, 0, second]),
  lossMask: Uint8Array.from([1, 1, 0, 1, 0]),
  turnEnds: [1, 4],
});
const credit = (trajectories: ReturnType<typeof trajectory>[], options = {}) =>
  reinforce.advantages(trajectories, parse(options)).advantages.map((array) => [...array]);

testAlgorithm(reinforce);
testAlgorithm(reinforce, { params: { gamma: 0.9, klRewardCoefficient: 0.1 } });
testAlgorithm(reinforce, { params: { baseline: 'group', klCoefficient: 0.01, klEstimator: 'k2' } });
testAlgorithm(reinforce, { params: { baseline: 'group', klRewardCoefficient: 0.1, klTarget: 0.05 } });

describe('reinforce-plus-plus', () => {
  it('normalises what is left to earn over the whole batch, by hand', () => {
    // returns 3 3 2, and 0 0 0: mean 8/6
    const returns = [3, 3, 2, 0, 0, 0];
    const mean = 8 / 6;
    const std = Math.sqrt(returns.reduce((sum, value) => sum + (value - mean) ** 2, 0) / 5) + 1e-8;
    const [first = [], second = []] = credit([trajectory(0, 1, 2), trajectory(1, 0, 0)]);
    [3, 3, undefined, 2, undefined].forEach((value, t) =>
      expect(first[t]).toBeCloseTo(value === undefined ? 0 : (value - mean) / std, 12),
    );
    expect(second[0]).toBeCloseTo(-mean / std, 12);
  });

  it('discounts per loss token', () => {
    // 1 + 0.5 · 2 = 2 at the second token, half of that at the first
    const raw = [1, 2, 2];
    const std = Math.sqrt(1 / 3) + 1e-8;
    const [only = []] = credit([trajectory(0, 1, 2)], { gamma: 0.5 });
    [0, 1, 3].forEach((t, i) => expect(only[t]).toBeCloseTo(((raw[i] as number) - 5 / 3) / std, 12));
  });

  it('takes the divergence of each token off its reward', () => {
    const gaps = Float64Array.from([1, 0, 9, -1, 9]); // what is outside the loss is not read
    const [only = []] = reinforce
      .advantages([{ ...trajectory(0, 0, 0), referenceGaps: gaps }], parse({ klRewardCoefficient: 0.5 }))
      .advantages.map((array) => [...array]);
    // rewards −0.5, 0, 0.5: returns 0, 0.5, 0.5
    const std = Math.sqrt(1 / 12) + 1e-8;
    [0, 1, 3].forEach((t, i) => expect(only[t]).toBeCloseTo(([0, 0.5, 0.5][i]! - 1 / 3) / std, 12));
    expect(reinforce.needs(parse({ klRewardCoefficient: 0.5 })).reference).toBe(true);
  });

  it('compares totals less the divergence with baseline group, by hand', () => {
    const played = [
      [2, 0, 9, 0, 9],
      [0, 0, 9, 0, 9],
    ].map((gaps) => ({
      ...trajectory(0, 1, 1),
      referenceGaps: Float64Array.from(gaps),
    }));
    const options = parse({ baseline: 'group', klRewardCoefficient: 0.5, klRewardEstimator: 'abs' });
    const [first, second] = reinforce.advantages(played, options).advantages;
    const std = Math.sqrt(6 / 4 / 5) + 1e-8; // ±1/2 at three tokens each
    expect(first?.[0]).toBeCloseTo(-0.5 / std, 12);
    expect(second?.[3]).toBeCloseTo(0.5 / std, 12);
  });

  it('subtracts the mean of the group first, if asked', () => {
    const [first = [], second = []] = credit([trajectory(0, 1, 2), trajectory(0, 0, 1)], {
      baseline: 'group',
    });
    const std = Math.sqrt(6 / 5) + 1e-8;
    expect(first[0]).toBeCloseTo(1 / std, 12);
    expect(second[3]).toBeCloseTo(-1 / std, 12);
    expect(reinforce.minGroupSize?.(parse({ baseline: 'group' }))).toBe(2);
    expect(reinforce.select([{ group: 0, totals: [1] }], parse({ baseline: 'group' })).kept).toEqual([]);
    expect(reinforce.select([{ group: 0, totals: [1] }], parse()).kept).toEqual([0]);
  });

  it('gives no credit to a batch of equal returns', () => {
    expect(credit([trajectory(0, 0, 0), trajectory(1, 0, 0)]).flat()).toEqual(new Array(10).fill(0));
    // −0.1 for each turn: returns −0.2 −0.2 −0.1 in both, and with gamma 0.45 −0.06525 −0.145 −0.1
    const paid = [trajectory(0, -0.1, -0.1), trajectory(0, -0.1, -0.1)];
    for (const gamma of [1, 0.45]) expect(credit(paid, { gamma }).flat()).toEqual(new Array(10).fill(0));
  });

  it('names options without effect', () => {
    const inert = (options: object) => reinforce.inert?.(parse(options), { optimizerStepsPerStep: 2 });
    expect(inert({ baseline: 'group', klRewardCoefficient: 1 })).toEqual(['gamma', 'klEstimator']);
    expect(inert({ klRewardEstimator: 'k2' })).toEqual(['klEstimator', 'klRewardEstimator']);
  });
});
