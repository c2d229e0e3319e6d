import agentProgram from '@espalier/environment-agent-program';
import length from '@espalier/reward-length';
import repetition from '@espalier/reward-repetition';
import { describe, expect, it } from 'vitest';
import { applyOverrides, parseConfig, resolveRunSpec } from './index.js';
import { limits, plugins, smallest } from './testing/small-registry.js';

const registry = { list: () => [...plugins, agentProgram, length, repetition] };
/** Rewards without effect, with their reasons. */
const inertOf = (text: string, ...sets: string[]) =>
  resolveRunSpec(applyOverrides(parseConfig(text, 'x.yaml'), sets), registry, () => ({ limits }))
    .inert.filter(({ path }) => path.includes('rewards.'))
    .map(({ path, reason }) => [path, reason]);

const silent = 'rollout.prompt.thinking=none';
const ofLength = (more: string) => `rewards=[{use: environment-return}, {use: length, ${more}}]`;

describe('rewards without effect', () => {
  it('names those that read the reasoning where none is sampled, and what each does then', () => {
    const rewards = 'rewards=[{use: repetition}, {use: environment-return}, {use: length, limit: 32}]';
    expect(inertOf(smallest, rewards)).toEqual([]);
    expect(inertOf(smallest, rewards, silent)).toEqual([
      ['rewards.0', 'rollout.prompt.thinking is none: no reasoning is sampled, so every turn loses 1'],
      [
        'rewards.2',
        'rollout.prompt.thinking is none: no reasoning is sampled, so every turn loses 1; `of: reply` counts all sampled tokens',
      ],
    ]);
    expect(inertOf(smallest, ofLength('of: reply, limit: 32'), silent)).toEqual([]);
  });

  it('names a limit whose loss begins where every turn has ended', () => {
    const [found] = inertOf(smallest, ofLength('of: reply, limit: 96, buffer: 32'));
    expect(found).toEqual([
      'rewards.1',
      'it begins to take something after 64 tokens, and rollout.maxResponseTokens ends a turn after 64; lower `limit`',
    ]);
    expect(inertOf(smallest, ofLength('of: reply, limit: 95, buffer: 32'))).toEqual([]);
    expect(inertOf(smallest, ofLength('target: 500'))).toEqual([]);
  });

  it('looks at the rewards of a tag, and not at what agent programs are played with', () => {
    const tagged = `environments: { first: { environment: { use: grid } }, second: { environment: { use: grid }, rewards: [{ use: length, limit: 32 }] } }\nalgorithm: { use: grpo }\n`;
    expect(inertOf(tagged, silent).map(([path]) => path)).toEqual(['environments.second.rewards.0']);
    const played = `environment: { use: agent-program, command: [node, x.mjs] }\nalgorithm: { use: grpo }\n`;
    expect(inertOf(played, silent, ofLength('limit: 32'))).toEqual([]);
  });
});
