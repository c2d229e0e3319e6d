/** @file Greedy baselines in a plan: how many are played, and what does not go together with them. */
import { describe, expect, it } from 'vitest';
import { applyOverrides, parseConfig, resolveRunSpec } from './index.js';
import { failure, limits, plugins, registry, smallest } from './testing/small-registry.js';

const needs = () => ({ critic: false, reference: false, greedyBaseline: true });
const greedy = {
  ...registry,
  list: () => plugins.map((one) => (one.id === 'ppo' ? { ...one, needs } : one)) as typeof plugins,
};
const compared = smallest.replace('grpo', 'ppo');
const resolve = (text: string, ...sets: string[]) =>
  resolveRunSpec(applyOverrides(parseConfig(text, 'x.yaml'), sets), greedy, () => ({ limits }));

describe('greedy baselines', () => {
  it('are one for each group, and count as episodes', () => {
    const sets = ['rollout.promptsPerStep=4', 'rollout.groupSize=1', 'steps=10', 'update.miniBatches=1'];
    expect(resolve(compared, ...sets).derived).toMatchObject({
      trajectoriesPerStep: 4,
      greedyPerStep: 4,
      trajectoriesPerMiniBatch: 4,
      episodes: 80,
    });
    const without = resolve(smallest, ...sets.with(1, 'rollout.groupSize=2')).derived;
    expect(without).not.toHaveProperty('greedyPerStep');
    expect(without.episodes).toBe(80);
  });

  it('are those of the tags whose algorithm asks for them', () => {
    const tags =
      'algorithm: { use: grpo }\nmixing: { compare: per-tag }\nenvironments:\n' +
      '  near: { environment: { use: grid }, groups: 3 }\n' +
      '  far: { environment: { use: grid }, groups: 2, algorithm: { use: ppo } }\n';
    expect(resolve(tags, 'rollout.groupSize=4', 'steps=10').derived).toMatchObject({
      greedyPerStep: 2,
      episodes: 10 * (5 * 4 + 2),
    });
  });

  it('are refused together with totals that are normalised, which theirs is not', () => {
    const set = (method: string) => `update.rewardNormalization={ by: batch, method: ${method} }`;
    expect(failure(() => resolve(compared, set('mean')))).toMatchObject({
      code: 'config.impossible_budget',
      message: expect.stringMatching(
        /update\.rewardNormalization mean: ppo compares totals with that of a greedy trajectory/,
      ) as string,
    });
    expect(resolve(compared, set('identity')).derived.greedyPerStep).toBe(8);
    expect(resolve(smallest, set('mean')).derived).not.toHaveProperty('greedyPerStep');
  });
});
