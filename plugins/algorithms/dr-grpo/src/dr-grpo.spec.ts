import { testAlgorithm } from '@espalier/plugin-kit/testing';
import { describe, expect, it } from 'vitest';
import drGrpo from './index.js';

const parse = (options: object = {}) => drGrpo.params.parse(options);
const trajectory = (group: number, total: number) => ({
  group,
  total,
  rewards: Float64Array.from([0, 0, total]),
  lossMask: Uint8Array.from([1, 0, 1]),
  turnEnds: [2],
});

testAlgorithm(drGrpo);
testAlgorithm(drGrpo, { params: { klCoefficient: 0.1, klEstimator: 'k3', dualClip: 2, clipHigh: 0.3 } });

describe('dr-grpo', () => {
  it('divides by no deviation, by hand', () => {
    const trajectories = [trajectory(0, 0), trajectory(0, 2), trajectory(1, 10), trajectory(1, 14)];
    const { advantages } = drGrpo.advantages(trajectories, parse());
    expect(advantages.map((array) => [...array])).toEqual([
      [-1, 0, -1],
      [1, 0, 1],
      [-2, 0, -2],
      [2, 0, 2],
    ]);
  });

  it('gives exactly 0 where all totals are equal', () => {
    const { advantages } = drGrpo.advantages([trajectory(0, 0.1), trajectory(0, 0.1)], parse());
    expect(advantages.flatMap((array) => [...array])).toEqual([0, 0, 0, 0, 0, 0]);
  });

  it('drops a group of which one trajectory is left', () => {
    expect(drGrpo.select([{ group: 0, totals: [1] }], parse())).toEqual({
      kept: [],
      reasons: ['one-trajectory'],
    });
  });

  it('has no bound on bad tokens and no penalty, as the paper', () => {
    expect(parse()).toMatchObject({ dualClip: 0, klCoefficient: 0 });
    expect(drGrpo.needs(parse())).toEqual({ critic: false, reference: false });
  });
});
