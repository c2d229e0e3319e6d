import { readFileSync } from 'node:fs';
import { parseConfig, type PluginRegistry, resolveRunSpec } from '@espalier/config';
import {
  sampleReply,
  sampleTrajectoryOf,
  testAlgorithm,
  testEnvironment,
  testReward,
} from '@espalier/plugin-kit/testing';
import { discoverPlugins } from '@espalier/plugin-host';
import { expect, it } from 'vitest';
import algorithm from '../../docs/examples/change/algorithm.js';
import environment from '../../docs/examples/change/environment.js';
import reward from '../../docs/examples/change/reward.js';

testEnvironment(environment, { oracleSolves: 1 });
testEnvironment(environment, { params: { most: 60 }, oracleSolves: 1 });
testReward(reward);
testAlgorithm(algorithm);

it('docs/examples/change blames a subtraction that begins with another amount, or is false', async () => {
  const score = (thought: string) =>
    reward.score(
      sampleTrajectoryOf([sampleReply(thought, '4')], () => ({ facts: { left: 8, allowed: 2 } })),
      { each: 0.5 },
    );
  expect((await score('8 less 4 leaves 4.')).perTurn).toEqual([0]);
  expect((await score('8 less 4 leaves 5.')).perTurn).toEqual([-0.5]);
  expect((await score('9 less 4 leaves 5.')).perTurn).toEqual([-0.5]);
});

it('docs/examples/change has a run that resolves with its three plugins', async () => {
  const installed = await discoverPlugins({ root: '.' });
  const list = () => [...installed.list(), environment, reward, algorithm];
  const yaml = readFileSync('docs/examples/change/run.yaml', 'utf8');
  const { spec } = resolveRunSpec(parseConfig(yaml, 'run.yaml'), { list } as PluginRegistry);
  expect(spec.algorithm).toEqual({ use: 'lean-group', blame: 0.5, entropyCoefficient: 0 });
  expect(spec.rewards.map(({ use }) => use)).toEqual(['environment-return', 'format', 'shown-sums']);
});
