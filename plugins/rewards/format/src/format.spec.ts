import { sampleTrajectory, sampleTurn, testReward } from '@espalier/plugin-kit/testing';
import { expect, it } from 'vitest';
import format from './index.js';

testReward(format);

it('passes on the penalty of each turn, rewards left out', async () => {
  const turns = [sampleTurn(0, { reward: 1 }), sampleTurn(1, { formatPenalty: -0.1 })];
  const result = await format.score(sampleTrajectory(turns), {});
  expect(result).toEqual({ perTurn: [0, -0.1], metrics: { invalid_turns: 0.5 } });
});
