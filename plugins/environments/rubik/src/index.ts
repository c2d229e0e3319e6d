import { defineEnvironment } from '@espalier/plugin-kit';
import { z } from 'zod';
import { createRubik } from './rubik.js';

const params = z
  .strictObject({
    scramble: z
      .int()
      .min(1)
      .max(100)
      .default(5)
      .describe('quarter turns from the solved cube; the runs of RAGEN-2 take 1'),
    distance: z
      .enum(['random', 'exact'])
      .default('random')
      .describe('`random`: turns may undo each other, as in RAGEN-2; `exact`: no shorter solution is left'),
    observation: z
      .enum(['net', 'faces'])
      .default('net')
      .describe('the cube unfolded, or one line for each face'),
  })
  .refine(({ distance, scramble }) => distance === 'random' || scramble <= 8, {
    path: ['scramble'],
    message: 'random turns hardly ever lead further than 8 turns away; take at most 8, or distance: random',
  });

export default defineEnvironment({
  id: 'rubik',
  summary: 'Solve a 2×2 cube by quarter turns of its faces.',
  params,
  presets: {
    r2: {
      options: { scramble: 1, distance: 'random' },
      limits: { maxActions: 20, maxActionsPerTurn: 2 },
    },
  },
  instruction: ({ observation }) =>
    [
      'Solve a 2x2 cube: each face must have one color.',
      observation === 'net'
        ? 'The cube is unfolded: up, then left front right back, then down.'
        : 'Each line is a face: up, left, front, right, back, down.',
      "U D L R F B turn a face clockwise, U' and so on the other way.",
      "Example answer: <answer>R || U'</answer>",
    ].join(' '),
  limits: () => ({ maxTurns: 10, maxActions: 20, maxActionsPerTurn: 2 }),
  reads: () => ({ noise: false }),
  create: createRubik,
});
