import { defineEnvironment } from '@espalier/plugin-kit';
import { z } from 'zod';
import { emptyCells } from './generate.js';
import { createSudoku } from './sudoku.js';

export default defineEnvironment({
  id: 'sudoku',
  summary: 'Fill a grid so that each row, column and box holds every number once.',
  params: z.strictObject({
    size: z
      .union([z.literal(4), z.literal(9), z.literal(16)])
      .default(9)
      .describe('rows, columns and boxes'),
    empty: z
      .number()
      .min(0.05)
      .max(0.7)
      .default(0.4)
      .describe('share of cells to empty; easy, medium and hard of RAGEN-2 are 0.4, 0.5 and 0.6'),
    puzzles: z
      .enum(['unique', 'any'])
      .default('unique')
      .describe(
        '`unique`: an exhaustive search shows that there is one solution; `any`: cells are emptied without a check, as in RAGEN-2',
      ),
    correct: z.number().default(1).describe('reward of the number of the solution'),
    fitting: z.number().default(0.5).describe('reward of another number that fits for now'),
    refused: z.number().default(-0.1).describe('reward of what cannot be placed'),
    solved: z.number().default(10).describe('further reward when the grid is solved'),
    pays: z
      .enum(['first', 'every'])
      .default('first')
      .describe(
        '`first`: the first number of a cell is rewarded, one that replaces it is not; `every`: each of them, as in RAGEN-2, so that wrong numbers replaced by right ones earn more than the solution',
      ),
  }),
  presets: {
    r2: {
      options: {
        size: 9,
        empty: 0.4,
        puzzles: 'any',
        correct: 1,
        fitting: 0.5,
        refused: -0.1,
        solved: 10,
        pays: 'every',
      },
    },
  },
  instruction: ({ size }) =>
    [
      `You are solving a ${size}x${size} Sudoku. Fill every . so that each row, column and box holds 1 to ${size} once.`,
      'An action places a number: "row,col,number", or "place N at row R col C"; rows and columns are counted from 1.',
      'Example answer: <answer>1,2,3 || 4,1,2</answer>',
    ].join(' '),
  limits: (params) => {
    const maxActions = Math.max(20, Math.ceil(emptyCells(params) * 1.5));
    return { maxTurns: Math.ceil(maxActions / 2), maxActions, maxActionsPerTurn: 2 };
  },
  reads: ({ refused }) => ({ noise: false, penalties: refused < 0 }),
  create: createSudoku,
});
