import { defineReward, type RewardDefinition, type UnscoredTrajectory } from '@espalier/plugin-kit';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { checkReward } from './check-reward.js';

type Turn = UnscoredTrajectory['turns'][number];

const paying = (pay: (turn: Turn) => number): RewardDefinition<unknown> =>
  defineReward({
    id: 'paying',
    summary: 'Pays.',
    params: z.strictObject({}),
    score: ({ turns }) => ({ perTurn: turns.map(pay) }),
  }) as RewardDefinition<unknown>;

describe('checkReward', () => {
  it('finds nothing in a reward that takes a little per word', async () => {
    expect(
      await checkReward(
        paying(({ think }) => -0.001 * think.split(/\s+/).length),
        {},
      ),
    ).toEqual([]);
  });

  it.each<[string, (turn: Turn) => number, string[]]>([
    [
      'a valid format',
      ({ formatValid }) => (formatValid ? 0.1 : 0),
      ['constant', 'repeated', 'format-only', 'prompt-echo', 'length'],
    ],
    ['silence', ({ response }) => (response === '' ? 0.1 : 0), ['empty']],
    ['many words', ({ think }) => (think.length > 5000 ? 0.1 : 0), ['length']],
    [
      'words of the prompt',
      ({ think, observation }) => (think.includes(observation) ? 0.1 : 0),
      ['prompt-echo'],
    ],
  ])('names the policies that %s pays', async (_what, pay, names) => {
    const found = await checkReward(paying(pay), {});
    expect([...new Set(found.map(({ check }) => check))]).toEqual(names.map((name) => `${name} policy`));
    expect(found[0]).toMatchObject({
      level: 'problem',
      finding: expect.stringContaining('without solving anything'),
    });
  });

  it('finds a penalty so large that doing nothing beats success', async () => {
    const found = await checkReward(
      paying(({ think }) => (think === '' ? 0 : -1)),
      {},
    );
    expect(found.map(({ check, finding }) => `${check}: ${finding}`)).toContain(
      "empty policy: earns 0, and the oracle -1 with the environment's 1",
    );
  });
});
