import { defineEnvironment } from '@espalier/plugin-kit';
import { z } from 'zod';
import { createGame } from './game.js';

const params = z
  .strictObject({
    size: z.int().min(3).max(6).default(4).describe('rows and columns'),
    goal: z
      .union([8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096].map((tile) => z.literal(tile)))
      .default(2048)
      .describe('the tile that counts as success'),
    ends: z
      .enum(['stuck', 'goal'])
      .default('stuck')
      .describe('`stuck`: when nothing moves, as in RAGEN-2; `goal`: also as soon as the goal is reached'),
    twoProbability: z.number().min(0).max(1).default(0.9).describe('chance that a new tile is 2, not 4'),
    reward: z
      .enum(['log', 'score'])
      .default('log')
      .describe(
        'of a move that joins tiles: `log` is log2(points + 1) / 10 and 0 for every other move, as RAGEN-2 trains; `score` is the points',
      ),
    unmoved: z.number().default(-0.1).describe('reward of a move that moves nothing, with `score`'),
  })
  .refine(({ size, goal }) => goal <= 2 ** (size * size), {
    path: ['goal'],
    message: 'the board is too small for this tile; lower it, or raise `size`',
  });

export default defineEnvironment({
  id: 'game-2048',
  summary: 'Slide and join tiles until one reaches the goal.',
  params,
  presets: {
    r2: {
      options: { size: 4, goal: 2048, ends: 'stuck', twoProbability: 0.9, reward: 'log' },
      limits: { maxActions: 700, maxActionsPerTurn: 2 },
    },
  },
  metrics: {
    max_tile: { unit: 'points', formula: 'the largest tile after the action' },
    score: { unit: 'points', formula: 'sum of the tiles that the action joined' },
  },
  instruction: ({ goal }) =>
    [
      `You are playing 2048. A move slides all tiles; equal neighbours join into their sum. Reach a tile of ${goal}.`,
      'A new tile appears after each move; . is an empty cell.',
      'Example answer: <answer>Down || Left</answer>',
    ].join(' '),
  limits: () => ({ maxTurns: 350, maxActions: 700, maxActionsPerTurn: 2 }),
  // its plan is a game played to the end, which takes a tenth of a second
  reads: () => ({ plans: false }),
  inert: ({ reward }) => (reward === 'log' ? ['unmoved'] : []),
  create: createGame,
});
