import { join } from 'node:path';
import { resolveRunSpec } from '@espalier/config';
import { discoverPlugins } from '@espalier/plugin-host';
import { describe, expect, it } from 'vitest';
import { listCreditWarnings } from './credit-warnings.js';

const registry = await discoverPlugins({ root: join(import.meta.dirname, '../../../..') });

const warningsOf = (value: Record<string, unknown>): string[] =>
  listCreditWarnings(resolveRunSpec(value, registry).spec, registry);
const maxRl = { use: 'grpo', normalization: 'mean' };
const lake = { environment: { use: 'frozen-lake' }, algorithm: maxRl };

describe('listCreditWarnings', () => {
  it('warns of the format penalty where totals are divided by their mean, and of nothing without it', () => {
    expect(warningsOf(lake)).toEqual([
      'algorithm.normalization mean: the run fails at the first group whose totals differ with a mean of 0 or below, and the reward format takes off 0.1 a turn; set rollout.formatPenalty: 0, or choose batch, group or none',
    ]);
    expect(warningsOf({ ...lake, rollout: { formatPenalty: 0 } })).toEqual([]);
    expect(warningsOf({ ...lake, rewards: [{ use: 'environment-return' }] })).toEqual([]);
    expect(warningsOf({ ...lake, algorithm: { use: 'grpo' } })).toEqual([]);
  });

  it('warns of rewards and environments that take something off', () => {
    const rollout = { formatPenalty: 0 };
    expect(warningsOf({ ...lake, environment: { use: 'sokoban' }, rollout })).toEqual([
      expect.stringContaining(
        'sokoban pays less than 0 for some actions; choose an environment that does not',
      ),
    ]);
    const rewards = [{ use: 'environment-return' }, { use: 'repetition' }];
    expect(warningsOf({ ...lake, rewards })).toEqual([
      expect.stringContaining(
        'the reward repetition takes something off; leave out the reward repetition, or',
      ),
    ]);
  });

  it('names the tag in a run in several environments', () => {
    const environments = {
      near: { environment: { use: 'frozen-lake' }, groups: 4 },
      far: { environment: { use: 'bandit' }, groups: 4, algorithm: { use: 'grpo' } },
    };
    expect(warningsOf({ algorithm: maxRl, environments })).toEqual([
      expect.stringMatching(/^algorithm\.normalization mean of near: /),
    ]);
  });
});
