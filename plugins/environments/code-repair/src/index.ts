import { defineEnvironment } from '@espalier/plugin-kit';
import { z } from 'zod';
import { createRepair } from './code-repair.js';
import { taskSets } from './library.js';
import { mostLanes } from './sandbox/pool.js';

const paths = z.array(z.string().min(1)).min(1);

const shipped = z
  .strictObject({
    source: z.literal('shipped'),
    sets: z
      .array(z.enum(taskSets))
      .min(1)
      .refine((sets) => new Set(sets).size === sets.length, 'a set is named twice; name it once')
      .default(['quixbugs', 'humaneval', 'javascript'])
      .describe(
        'which: `quixbugs` and `humaneval` (each with a fault) in Python, `humaneval-write` (without a body), `javascript`',
      ),
  })
  .describe('the tasks that ship');

const files = z
  .strictObject({
    source: z.literal('files'),
    tasks: paths.describe(
      'paths of JSONL files with tasks; a tenth of the groups is for validation and, without `test`, another for test; a group is what has one `group`, or else one solution',
    ),
    test: paths
      .optional()
      .describe('paths of files with tasks for test; their groups are left out of the others'),
  })
  .describe('tasks read from files');

export default defineEnvironment({
  id: 'code-repair',
  summary: 'Repair a small program until its tests pass; it runs in a WASM sandbox.',
  params: z.strictObject({
    tasks: z
      .discriminatedUnion('source', [shipped, files])
      .prefault({ source: 'shipped' })
      .describe('where the tasks come from'),
    reward: z
      .enum(['progress', 'solved'])
      .default('progress')
      .describe(
        '`progress`: growth of the most tests passed at once ÷ tests that the broken program fails; `solved`: 1 when all pass',
      ),
    visible: z
      .number()
      .min(0)
      .max(1)
      .default(0.5)
      .describe('share of the tests, at least one, whose values may be shown; the others only count'),
    listed: z.int().min(1).max(20).default(3).describe('most failing tests that an observation lists'),
    timeLimitMs: z
      .int()
      .min(100)
      .max(60_000)
      .default(3000)
      .describe('a program is cut off after so long; counts from when its interpreter is up'),
    memoryMb: z
      .int()
      .min(32)
      .max(1024)
      .default(64)
      .describe('most memory of an interpreter with its program, MiB'),
  }),
  metrics: {
    tests_passed: { unit: 'ratio', formula: 'tests that the program passes ÷ tests, of changes' },
    cut_off: { unit: 'probability', formula: '1 if the program did not end in time, of changes' },
    unusable: { unit: 'probability', formula: '1 if the program could not be read, of changes' },
  },
  instruction: () =>
    [
      'Repair the function so that all of its tests pass. An action begins with a line `edit 4`, or `edit 4-6`: what follows takes the',
      'place of these lines, nothing deletes them. Or it begins with a line `submit`: what follows is the whole program.',
      'Then the tests are run. Example answer: <answer>edit 4\n    return total + 1</answer>',
    ].join(' '),
  limits: () => ({ maxTurns: 4, maxActions: 4, maxActionsPerTurn: 1 }),
  // a program that waits for a thread spends the time limit of its episode
  reads: () => ({ noise: false, episodes: mostLanes }),
  create: ({ tasks, reward, visible, listed, timeLimitMs, memoryMb }) =>
    createRepair({
      tasks,
      reward,
      visible,
      listed,
      limits: { timeMs: timeLimitMs, memoryBytes: memoryMb * 2 ** 20 },
    }),
});
