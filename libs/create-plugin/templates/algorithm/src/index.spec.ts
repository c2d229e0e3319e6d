import { testAlgorithm } from '@espalier/plugin-kit/testing';
import { expect, it } from 'vitest';
import algorithm from './index.js';

testAlgorithm(algorithm);
testAlgorithm(algorithm, { params: { entropyCoefficient: 0.01 } });

it('compares each trajectory with the others of its group', () => {
  const trajectories = [3, 1, 2].map((total) => ({
    group: 0,
    total,
    rewards: Float64Array.from([0, total]),
    lossMask: Uint8Array.from([0, 1]),
    turnEnds: [1],
  }));
  const { advantages } = algorithm.advantages(trajectories, algorithm.params.parse({}));
  expect(advantages.map((values) => values[1])).toEqual([1.5, -1.5, 0]);
});
