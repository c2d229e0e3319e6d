import { defineEnvironment } from '@espalier/plugin-kit';
import { z } from 'zod';
import { createSearchQa } from './search-qa.js';

const paths = z.array(z.string().min(1)).min(1);

const generated = z
  .strictObject({
    source: z.literal('generated'),
    seed: z.int().min(0).max(4294967295).default(0).describe('seed of the facts'),
    documents: z.int().min(100).max(100_000).default(500).describe('about how many documents to make'),
  })
  .describe('facts about people and places that do not exist, made from a seed');

const files = z
  .strictObject({
    source: z.literal('files'),
    documents: paths.describe('paths of JSONL files with `id`, `title` and `text`'),
    questions: paths.describe(
      'paths of JSONL files with `question`, `answers` and `supporting`, ids of documents; a tenth is for validation and, without `test`, another for test',
    ),
    test: paths
      .optional()
      .describe('paths of files with questions for test; they are left out of the others'),
  })
  .describe('documents and questions read from files');

export default defineEnvironment({
  id: 'search-qa',
  summary: 'Answer a question by searching documents.',
  params: z.strictObject({
    library: z
      .discriminatedUnion('source', [generated, files])
      .prefault({ source: 'generated' })
      .describe('where documents and questions come from'),
    results: z.int().min(1).max(20).default(3).describe('documents on a page of results'),
    excerpt: z
      .int()
      .min(20)
      .max(4000)
      .default(300)
      .describe('characters of a document that results show; `open` shows up to 4,000'),
    partialCredit: z
      .number()
      .min(0)
      .max(1)
      .default(0.3)
      .describe('an answer that is no exact match earns its F1 from this upwards, as in RAGEN-2; 1: nothing'),
  }),
  presets: { r2: { options: { partialCredit: 0.3 }, limits: { maxActions: 10, maxActionsPerTurn: 2 } } },
  metrics: {
    exact_match: { unit: 'probability', formula: '1 if the answer equals a right one after normalisation' },
    f1: { unit: 'ratio', formula: 'F1 of the words of the answer, the best over the right answers' },
    support_found: {
      unit: 'ratio',
      formula: 'supporting documents that were shown ÷ supporting documents; 1 without any',
    },
  },
  instruction: () =>
    [
      'Answer the question. An action is search[words], which lists documents; open[n], which shows result n; next, for further results;',
      'or finish[answer], which ends the search. Give the answer in a few words.',
      'Example answer: <answer>search[birthplace of Marie Curie]</answer>',
    ].join(' '),
  limits: () => ({ maxTurns: 10, maxActions: 10, maxActionsPerTurn: 1 }),
  reads: () => ({ noise: false }),
  create: createSearchQa,
});
