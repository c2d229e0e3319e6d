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
testAlgorithm(starpo, { params: { estimator: 'group', klCoefficient: 0.1, klEstimator: 'k3' } });

describe('starpo', () => {
  it('pays the whole total at the end, by hand', () => {
    expect(returnsOf({})).toEqual([4, 4, 0, 4]);
    expect(returnsOf({ gamma: 0.5 })).toEqual([1, 2, 0, 4]);
  });

  it('pays turns at their end if asked', () => {
    expect(returnsOf({ rewardAt: 'turn-end' })).toEqual([4, 4, 0, 3]);
    expect(returnsOf({ rewardAt: 'turn-end', gamma: 0.5 })).toEqual([1.25, 2.5, 0, 3]);
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

  it('names the options that change nothing', () => {
    expect(starpo.inert?.(parse(), { optimizerStepsPerStep: 2 })).toEqual(['normalization', 'klEstimator']);
    expect(starpo.inert?.(parse({ estimator: 'group' }), { optimizerStepsPerStep: 2 })).toEqual([
      'rewardAt',
      'gamma',
      'lambda',
      'valueClip',
      'klEstimator',
    ]);
  });
});
