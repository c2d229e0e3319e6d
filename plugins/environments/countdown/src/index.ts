import { defineEnvironment } from '@espalier/plugin-kit';
import { z } from 'zod';
import { createAnswer } from './answer.js';
import { hasPuzzles } from './state.js';
import { createSteps } from './steps.js';

const params = z
  .strictObject({
    variant: z
      .enum(['answer', 'steps'])
      .default('answer')
      .describe('`answer`: one expression, as RAGEN; `steps`: one calculation with two numbers per turn'),
    count: z
      .tuple([z.int().min(2).max(6), z.int().min(2).max(6)])
      .default([3, 4])
      .describe('fewest and most numbers of a puzzle'),
    highest: z.int().min(4).max(999).default(99).describe('numbers are drawn from 1 to this'),
    target: z
      .tuple([z.int().min(1), z.int().min(1).max(9999)])
      .default([10, 99])
      .describe('smallest and largest target'),
    operators: z
      .enum(['signs', 'all'])
      .default('signs')
      .describe(
        'what targets are made with: `signs` is + and -, as the data of RAGEN; `all` is + - * /. An answer may use any',
      ),
    numbersUsed: z
      .enum(['all', 'some'])
      .default('all')
      .describe('`all`: every number exactly once, as RAGEN; `some`: each at most once'),
    arithmetic: z
      .enum(['fractions', 'whole', 'python'])
      .default('fractions')
      .describe(
        'what an answer may compute: `fractions` is + - * / with exact fractions; `whole` refuses a division with a remainder; `python` takes also // % **, as RAGEN',
      ),
    partialScore: z
      .number()
      .min(0)
      .max(1)
      .default(0.1)
      .describe('points for the right numbers with a wrong result'),
  })
  .refine(({ count: [fewest, most] }) => fewest <= most, {
    path: ['count'],
    message: 'the fewest are more than the most; swap them',
  })
  .refine(({ target: [low, high] }) => low <= high, {
    path: ['target'],
    message: 'the smallest is more than the largest; swap them',
  })
  .refine((options) => options.count[0] > options.count[1] || hasPuzzles(options), {
    path: ['target'],
    message: 'hardly any draw of numbers reaches such a target; widen it, or raise `highest`',
  });

/** Both versions of RAGEN: the rules of Countdown-Tasks-3to4, of which they keep what + and - can reach. */
const ragen = {
  variant: 'answer',
  count: [3, 4],
  operators: 'signs',
  numbersUsed: 'all',
  arithmetic: 'python',
  partialScore: 0.1,
};

type Params = z.output<typeof params>;

const example = { answer: '(8 - 3) * 4', steps: '8 - 3' } as const;

export default defineEnvironment({
  id: 'countdown',
  summary: 'Reach a target with a few numbers and arithmetic.',
  params,
  presets: { r1: { options: ragen }, r2: { options: ragen } },
  metrics: {
    right_numbers: {
      unit: 'probability',
      formula:
        '1 if an answer takes the given numbers as `use` says, whatever its value; variant `answer` only',
    },
  },
  instruction: ({ variant, numbersUsed }: Params) =>
    [
      variant === 'answer'
        ? `Write an expression with + - * / that equals the target. Use each number ${numbersUsed === 'all' ? 'exactly' : 'at most'} once.`
        : `Reach the target${numbersUsed === 'all' ? ' with all numbers' : ''}. An action calculates with two of the numbers; they make room for the result, which must be positive and whole.`,
      `Example answer: <answer>${example[variant]}</answer>`,
    ].join(' '),
  limits: ({ variant, count: [, most] }) =>
    variant === 'answer'
      ? { maxTurns: 1, maxActions: 1, maxActionsPerTurn: 1 }
      : { maxTurns: most + 1, maxActions: most + 1, maxActionsPerTurn: 1 },
  reads: ({ variant }) => ({ noise: false, ...(variant === 'answer' && { actions: 1 }) }),
  inert: ({ variant }) => (variant === 'steps' ? ['arithmetic'] : []),
  create: (options) => (options.variant === 'answer' ? createAnswer(options) : createSteps(options)),
});
