import { sampleTrajectory, sampleTurn, testReward } from '@espalier/plugin-kit/testing';
import { expect, it } from 'vitest';
import reward from './index.js';

testReward(reward);
testReward(reward, { params: { perWord: 0 } });

it('takes the price of each word where it stands', async () => {
  const turns = [sampleTurn(0, { think: 'one two' }), sampleTurn(1, { think: '' })];
  const { perTurn, metrics } = await reward.score(sampleTrajectory(turns), { perWord: 0.5 });
  expect([perTurn[0], metrics?.['words']]).toEqual([-1, 2]);
});
