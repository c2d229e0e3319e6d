/** What specs of collections in the corridor share: a tokenizer, short episodes, and the reward of the environment. */
import { type RunSpec, runSpecSchema } from '@espalier/contracts';
import { defineReward } from '@espalier/plugin-kit';
import { z } from 'zod';
import { chatMl, createWordTokenizer } from './word-tokenizer.js';

export const tokenizer = createWordTokenizer(chatMl);

/** Two groups of so many episodes of at most five turns. */
export const corridorRollout = (groupSize: number): RunSpec['rollout'] => ({
  ...runSpecSchema.parse({ environment: { use: 'corridor' }, algorithm: { use: 'none' } }).rollout,
  promptsPerStep: 2,
  groupSize,
  maxTurns: 5,
  maxActions: 10,
  maxActionsPerTurn: 2,
});

export const environmentReturn = defineReward({
  id: 'environment-return',
  summary: 'Sum of rewards.',
  params: z.object({}),
  score: (trajectory) => ({
    perTurn: trajectory.turns.map((turn) => turn.reward),
    metrics: { turns: trajectory.turns.length },
  }),
});
