import { defineEnvironment } from '@espalier/plugin-kit';
import { z } from 'zod';
import { createWordProblems } from './word-problems.js';

const path = z.string().min(1);

const generated = z
  .strictObject({
    source: z.literal('generated'),
    steps: z
      .tuple([z.int().min(1).max(4), z.int().min(1).max(4)])
      .default([1, 3])
      .describe('fewest and most calculations of a problem'),
    highest: z.int().min(10).max(10_000).default(20).describe('numbers of a story are drawn from 2 to this'),
  })
  .refine(({ steps: [fewest, most] }) => fewest <= most, {
    path: ['steps'],
    message: 'the fewest are more than the most; swap them',
  })
  .describe('short stories with numbers, made from a seed');

const files = z
  .strictObject({
    source: z.literal('files'),
    train: z
      .array(path)
      .min(1)
      .describe(
        'paths of JSONL files, or JSON arrays, with rows of GSM8K or MetaMathQA; a tenth of their original questions is for validation and, without `test`, another for test',
      ),
    test: z
      .array(path)
      .min(1)
      .optional()
      .describe('paths of files for test; rows of `train` that stem from the same questions are left out'),
    count: z.int().min(1).optional().describe('how many rows to use of each file; all of them by default'),
  })
  .describe('problems read from files');

/** Both versions of RAGEN: the text is compared, and one answer ends an episode. */
const ragen = { options: { matching: 'text' }, limits: { maxTurns: 5, maxActions: 1, maxActionsPerTurn: 1 } };

export default defineEnvironment({
  id: 'math-word-problems',
  summary: 'Solve a math word problem; a wrong answer may be corrected for half of the points.',
  params: z.strictObject({
    problems: z
      .discriminatedUnion('source', [generated, files])
      .prefault({ source: 'generated' })
      .describe('where the problems come from'),
    matching: z
      .enum(['value', 'text'])
      .default('value')
      .describe(
        'which answers are right: `value`: the same number, however it is written; `text`: the same text but for white space and case, as RAGEN',
      ),
  }),
  presets: { r1: ragen, r2: ragen },
  metrics: {
    is_number: { unit: 'probability', formula: '1 if the answer is one number' },
  },
  instruction: () =>
    [
      'Solve the problem. Answer with the number alone, without a unit.',
      'A wrong answer may be corrected, each time for half of the points.',
      'Example answer: <answer>72</answer>',
    ].join(' '),
  limits: () => ({ maxTurns: 5, maxActions: 5, maxActionsPerTurn: 1 }),
  reads: () => ({ noise: false }),
  create: createWordProblems,
});
