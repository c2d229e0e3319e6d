import { defineEnvironment } from '@espalier/plugin-kit';
import { z } from 'zod';
import { createFrozenLake, hasCoordinates } from './frozen-lake.js';

export default defineEnvironment({
  id: 'frozen-lake',
  summary: 'Cross slippery ice to the goal without falling into a hole.',
  params: z.strictObject({
    size: z.int().min(2).max(32).default(4).describe('cells per side'),
    p: z
      .number()
      .gt(0)
      .max(1)
      .default(0.9)
      .describe('probability that a cell is frozen; 0.8 in the reference'),
    successRate: z
      .number()
      .min(0)
      .max(1)
      .default(0.8)
      .describe(
        'probability of the intended step, the rest slips evenly to both sides; 1/3 in the reference',
      ),
    observation: z
      .enum(['grid', 'coord', 'grid_coord', 'relative'])
      .default('grid')
      .describe(
        'how the state is written: `grid`; `coord`, lists of (row, column); `grid_coord`, both; `relative`, as the player sees it: the way to the goal and the four cells next to it',
      ),
  }),
  presets: {
    r1: {
      options: { size: 4, p: 0.8, successRate: 1 / 3, observation: 'grid' },
      limits: { maxActionsPerTurn: 5 },
    },
    r2: {
      options: { size: 4, p: 0.9, successRate: 0.8, observation: 'grid' },
      limits: { maxActionsPerTurn: 2 },
    },
  },
  instruction: ({ successRate, observation }) =>
    [
      'You are on a frozen lake. Walk to the goal and stay out of the holes.',
      ...(successRate < 1 ? ['The ice is slippery: a step may go to a side instead.'] : []),
      ...(hasCoordinates(observation) ? ['Coordinates are (row, col), counted from zero.'] : []),
      'Example answer: <answer>Right || Up</answer>',
    ].join(' '),
  limits: () => ({ maxTurns: 5, maxActions: 10, maxActionsPerTurn: 2 }),
  reads: ({ successRate }) => ({ noise: successRate < 1 }),
  create: createFrozenLake,
});
