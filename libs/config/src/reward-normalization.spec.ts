/** @file Totals that are normalised before credit, and the algorithms that are refused with them. */
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { applyOverrides, parseConfig, resolveRunSpec } from './index.js';
import { failure, limits, plugins, registry, smallest } from './testing/small-registry.js';

const params = z.strictObject({
  normalization: z.enum(['group', 'mean']).default('group'),
  kept: z.number().default(1),
});
const needs = () => ({ critic: false, reference: false, turnRewards: true });
const list = () =>
  plugins.map((one) =>
    one.id === 'ppo' ? { ...one, needs } : one.id === 'grpo' ? { ...one, params } : one,
  ) as typeof plugins;
const resolve = (text: string, ...sets: string[]) =>
  resolveRunSpec(applyOverrides(parseConfig(text, 'x.yaml'), sets), { ...registry, list }, () => ({
    limits,
  }));

const set = (method: string) => `update.rewardNormalization={ by: batch, method: ${method} }`;
const tags = (algorithm: string) =>
  'algorithm: { use: grpo }\nmixing: { compare: per-tag }\nenvironments:\n' +
  '  near: { environment: { use: grid }, groups: 3 }\n' +
  `  far: { environment: { use: grid }, groups: 2, algorithm: ${algorithm} }\n`;
const methods = ['mean', 'mean-std', 'asymmetric-clip'];

describe('normalised totals', () => {
  it('are refused by what divides by the mean of a group, which is then around 0', () => {
    const divides = smallest.replace('use: grpo', 'use: grpo, normalization: mean');
    for (const method of methods)
      expect(failure(() => resolve(divides, set(method)))).toMatchObject({
        code: 'config.impossible_budget',
        message: expect.stringContaining(
          `update.rewardNormalization ${method}: algorithm.normalization mean divides by`,
        ) as string,
      });
    const message = 'environments.far.algorithm.normalization mean divides by';
    expect(failure(() => resolve(tags('{ use: grpo, normalization: mean }'), set('mean'))).message).toContain(
      message,
    );
    expect(() => resolve(divides, set('identity'))).not.toThrow();
    expect(() => resolve(smallest, set('mean'))).not.toThrow();
  });

  it('are refused by what compares turns, as the last one bears what is taken off', () => {
    const compares = smallest.replace('grpo', 'ppo');
    const message = 'ppo compares what turns earned, and what is taken off a total falls to its last turn';
    for (const method of methods)
      expect(failure(() => resolve(compares, set(method))).message).toContain(message);
    expect(failure(() => resolve(tags('{ use: ppo }'), set('mean'))).message).toContain(message);
    expect(() => resolve(compares, set('identity'))).not.toThrow();
    expect(() => resolve(tags('{ use: grpo }'), set('mean'))).not.toThrow();
  });
});
