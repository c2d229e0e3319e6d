import { sampleTrajectory, sampleTurn, testReward } from '@espalier/plugin-kit/testing';
import { expect, it } from 'vitest';
import environmentReturn from './index.js';

testReward(environmentReturn);

it('pays each turn what the environment paid, penalties left out', async () => {
  const turns = [sampleTurn(0, { reward: -0.2, formatPenalty: -0.1 }), sampleTurn(1, { reward: 10.9 })];
  const result = await environmentReturn.score(sampleTrajectory(turns), {});
  expect(result).toEqual({ perTurn: [-0.2, 10.9], metrics: { positive_turns: 0.5 } });
});
