import { testAlgorithm } from '@espalier/plugin-kit/testing';
import { describe, expect, it } from 'vitest';
import starpo from './index.js';

const parse = (options: object = {}) => starpo.params.parse(options);
// two turns with an observation between them; the first pays 1, the second 3
const trajectory = {
  group: 0,
  total: 4,
  rewards: Float64Array.from([0, 1, 0, 3]),
  lossMask: Uint8Array.from([1, 1, 0, 1]),
  values: Float64Array.from([1, 2, 0, 0.5]),
  turnEnds: [1, 3],
};
const returnsOf = (options: object) => [
  ...(starpo.advantages([trajectory], parse(options)).returns?.[0] ?? []),
];

testAlgorithm(starpo);
testAlgorithm(starpo, { params: { rewardAt: 'turn-end', gamma: 0.9, lambda: 0.9 } });
testAlgorithm(starpo, { params: { estimator: 'hybrid', gamma: 0.9 } });
testAlgorithm(starpo, { params: { estimator: 'hybrid', critics: 2 } });
testAlgorithm(starpo, { params: { estimator: 'group', klCoefficient: 0.1, klEstimator: 'k3' } });
testAlgorithm(starpo, { params: { estimator: 'hybrid', klRewardCoefficient: 0.1, klTarget: 0.05 } });
testAlgorithm(starpo, { params: { estimator: 'group', klRewardCoefficient: 0.1, klRewardEstimator: 'abs' } });

describe('starpo', () => {
  it('pays the whole total at the end, by hand', () => {
    expect(returnsOf({})).toEqual([4, 4, 0, 4]);
    expect(returnsOf({ gamma: 0.5 })).toEqual([1, 2, 0, 4]);
  });

  it('pays turns at their end if asked', () => {
    expect(returnsOf({ rewardAt: 'turn-end' })).toEqual([4, 4, 0, 3]);
    expect(returnsOf({ rewardAt: 'turn-end', gamma: 0.5 })).toEqual([1.25, 2.5, 0, 3]);
  });

  it('pays for the divergence at each token, and the total at the end, by hand', () => {
    const played = { ...trajectory, referenceGaps: Float64Array.from([1, 2, 9, -1]) };
    const { returns } = starpo.advantages([played], parse({ klRewardCoefficient: 0.5 }));
    // rewards −0.5, −1 and 4 + 0.5
    expect([...(returns?.[0] ?? [])]).toEqual([3, 3.5, 0, 4.5]);
  });

  it('compares totals less the divergence of their tokens without a critic, by hand', () => {
    const options = parse({ estimator: 'group', normalization: 'none', klRewardCoefficient: 0.5 });
    const played = [
      { ...trajectory, referenceGaps: Float64Array.from([1, 2, 9, -1]) }, // 4 − 1
      { ...trajectory, referenceGaps: Float64Array.from([0, 0, 9, 0]) },
    ];
    expect(starpo.advantages(played, options).advantages.map((own) => [...own])).toEqual([
      [-0.5, -0.5, 0, -0.5],
      [0.5, 0.5, 0, 0.5],
    ]);
    expect(starpo.needs(options)).toMatchObject({ critic: false, reference: true });
  });

  it('compares trajectories without a critic if asked', () => {
    const options = parse({ estimator: 'group', normalization: 'none' });
    const { advantages, returns } = starpo.advantages([trajectory, { ...trajectory, total: 2 }], options);
    expect(returns).toBeUndefined();
    expect(advantages.map((own) => [...own])).toEqual([
      [1, 1, 0, 1],
      [-1, -1, 0, -1],
    ]);
    expect(starpo.needs(options).critic).toBe(false);
    expect(starpo.select([{ group: 0, totals: [1] }], options).kept).toEqual([]);
    expect(starpo.select([{ group: 0, totals: [1] }], parse()).kept).toEqual([0]);
  });

  it('weighs critic and group by explained variance, by hand', () => {
    const play = (total: number, value: number) => ({
      group: 0,
      total,
      rewards: Float64Array.from([total]),
      lossMask: Uint8Array.from([1]),
      values: Float64Array.from([value]),
      turnEnds: [0],
    });
    const first = (values: number[], options: object) => {
      const played = [4, 0, 0, 0].map((total, i) => play(total, values[i] ?? 0));
      return starpo.advantages(played, parse(options));
    };
    const hybrid = { estimator: 'hybrid', normalization: 'none' };
    // returns 4 0 0 0 with variance 4; errors 2 0 0 0 with variance 1: 3/4 explained. Mean 0.5, deviation 1
    const { advantages, returns } = first([2], hybrid);
    expect(advantages[0]?.[0]).toBeCloseTo(0.75 * 1.5 + 0.25 * 3, 6);
    expect(advantages[1]?.[0]).toBeCloseTo(0.75 * -0.5 + 0.25 * -1, 6);
    expect(returns?.map(([value]) => value)).toEqual([4, 0, 0, 0]);
    // a critic that is worse than the mean has no say, one that knows all has the whole
    expect(first([-9, 9], hybrid).advantages[0]?.[0]).toBe(3);
    expect(first([4], hybrid).advantages[0]?.[0]).toBe(0);
    expect(starpo.needs(parse(hybrid)).critic).toBe(true);
    expect(starpo.minGroupSize?.(parse(hybrid))).toBe(2);
    expect(starpo.select([{ group: 0, totals: [1] }], parse(hybrid)).kept).toEqual([]);
  });

  it('names the options that change nothing', () => {
    expect(starpo.inert?.(parse(), { optimizerStepsPerStep: 2 })).toEqual(['normalization', 'klEstimator']);
    expect(starpo.inert?.(parse({ estimator: 'hybrid' }), { optimizerStepsPerStep: 2 })).toEqual([
      'klEstimator',
    ]);
    const group = { estimator: 'group', critics: 2, criticPessimism: 1 };
    expect(starpo.needs(parse(group))).toEqual({ critic: false, reference: false });
    expect(starpo.inert?.(parse(group), { optimizerStepsPerStep: 2 })).toEqual(
      expect.arrayContaining(['critics', 'criticPessimism']),
    );
    expect(starpo.inert?.(parse({ estimator: 'group' }), { optimizerStepsPerStep: 2 })).toEqual([
      'rewardAt',
      'gamma',
      'lambda',
      'valueClip',
      'klEstimator',
    ]);
  });
});
