import { defineEnvironment } from '@espalier/plugin-kit';
import { z } from 'zod';
import { createSql } from './sql.js';

const path = z.string().min(1);

const generated = z
  .strictObject({ source: z.literal('generated') })
  .describe('a small shop for each seed, that does not exist');
const chinook = z
  .strictObject({ source: z.literal('chinook') })
  .describe('Chinook, a music shop with eleven tables, and our tasks over it');
const dbbench = z
  .strictObject({ source: z.literal('dbbench') })
  .describe('DBBench of AgentBench: one table a task; its standard tasks are for test');
const files = z
  .strictObject({
    source: z.literal('files'),
    database: path.optional().describe('path of an SQLite database for tasks without a table of their own'),
    tasks: z
      .array(path)
      .min(1)
      .describe(
        'paths of JSONL files, or JSON arrays, with `question` and `query`, `answer` or `change`, or rows of DBBench; a tenth of the questions is for validation and, without `test`, another for test',
      ),
    test: z.array(path).min(1).optional().describe('paths of files for test; left out of the others'),
  })
  .describe('tasks read from files');

export default defineEnvironment({
  id: 'sql',
  summary: 'Answer a question from a database by SQL, or change it as asked.',
  params: z.strictObject({
    database: z
      .discriminatedUnion('source', [generated, chinook, dbbench, files])
      .prefault({ source: 'generated' })
      .describe('where databases and tasks come from'),
    kinds: z
      .enum(['both', 'query', 'change'])
      .default('both')
      .describe('which tasks: questions whose result is to be stated, changes of the database, or both'),
    instructions: z
      .int()
      .min(1000)
      .max(1_000_000_000)
      .default(1_000_000)
      .describe('instructions of SQLite that a statement may take'),
    rows: z.int().min(1).max(200).default(20).describe('rows of a result that are shown'),
    characters: z.int().min(100).max(20_000).default(2000).describe('characters of a result that are shown'),
  }),
  metrics: {
    failed_statements: { unit: 'probability', formula: '1 if a statement failed, was refused or ended' },
  },
  instruction: () =>
    [
      'Solve the task on an SQLite database. An action is one SQL statement, whose result you see,',
      'or answer[…], which ends the task and states the result in JSON: one value, or a list of rows.',
      'Where the task is to change the database, change it, then write done.',
      'Example answer: <answer>SELECT count(*) FROM customers</answer>',
    ].join(' '),
  limits: () => ({ maxTurns: 10, maxActions: 10, maxActionsPerTurn: 1 }),
  reads: () => ({ noise: false }),
  create: createSql,
});
