import { defineEnvironment } from '@espalier/plugin-kit';
import { z } from 'zod';
import { hasSymbols } from './observe.js';
import { createSokoban } from './sokoban.js';
import { defaultSymbols } from './text.js';

const symbol = (fallback: string, meaning: string): z.ZodDefault<z.ZodString> =>
  z
    .string()
    .regex(/^[^\n]$/u)
    .default(fallback)
    .describe(`one character: ${meaning}`);

const symbols = z
  .strictObject({
    wall: symbol(defaultSymbols.wall, 'wall'),
    floor: symbol(defaultSymbols.floor, 'empty floor'),
    target: symbol(defaultSymbols.target, 'target without a box'),
    boxOnTarget: symbol(defaultSymbols.boxOnTarget, 'box on a target'),
    box: symbol(defaultSymbols.box, 'box elsewhere'),
    player: symbol(defaultSymbols.player, 'player'),
    playerOnTarget: symbol(defaultSymbols.playerOnTarget, 'player on a target'),
  })
  .refine((chosen) => new Set(Object.values(chosen)).size === 7, 'all seven symbols must differ')
  .prefault({})
  .describe('how the grid is written; the reference tests generalisation with W . G C B A @');

/** SimpleSokoban and CoordSokoban of RAGEN. */
const room = { dims: [6, 6], boxes: 1, searchDepth: 300, maxSteps: 100 };

export default defineEnvironment({
  id: 'sokoban',
  summary: 'Push every box onto a target; a wrong push cannot be undone.',
  params: z.strictObject({
    dims: z
      .tuple([z.int().min(5).max(20), z.int().min(5).max(20)])
      .default([6, 6])
      .describe('rows and columns, border walls included'),
    boxes: z.int().min(1).max(5).default(1).describe('boxes, and as many targets'),
    searchDepth: z
      .int()
      .min(2)
      .max(1000)
      .default(300)
      .describe('most moves of reverse play when a level is generated'),
    maxSteps: z
      .int()
      .min(1)
      .default(100)
      .describe('steps after which the environment itself ends the episode'),
    observation: z
      .enum(['grid', 'coord', 'grid_coord'])
      .default('grid')
      .describe('the state as a grid, as lists of (row, column), or both'),
    symbols,
  }),
  presets: {
    r1: {
      options: { ...room, observation: 'grid' },
      limits: { maxActionsPerTurn: 5 },
    },
    r2: {
      options: { ...room, observation: 'grid_coord' },
      limits: { maxActionsPerTurn: 2 },
    },
  },
  instruction: ({ observation, boxes }) =>
    [
      `You are solving a Sokoban puzzle. Push ${boxes === 1 ? 'the box' : 'all boxes'} onto ${boxes === 1 ? 'the target' : 'targets'}; boxes cannot be pulled.`,
      ...(observation === 'grid' ? [] : ['Coordinates are (row, col), counted from zero.']),
      'Example answer: <answer>Right || Up</answer>',
    ].join(' '),
  limits: ({ maxSteps }) => ({
    maxTurns: 5,
    maxActions: Math.min(10, maxSteps),
    maxActionsPerTurn: Math.min(2, maxSteps),
  }),
  // the search for a plan with three boxes may take a second
  reads: ({ maxSteps, boxes }) => ({
    noise: false,
    actions: maxSteps,
    plans: boxes <= 2,
    penalties: true,
  }),
  inert: (options, { maxActions }) => [
    ...(hasSymbols(options) ? [] : ['symbols']),
    ...(options.maxSteps > maxActions ? ['maxSteps'] : []),
  ],
  create: createSokoban,
});
