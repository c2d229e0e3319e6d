import { fileURLToPath } from 'node:url';
import { data, defineEnvironment } from '@espalier/plugin-kit';
import { z } from 'zod';
import { createHarbor, submit } from './harbor.js';
import { readTasks, type TaskSource } from './task/read-tasks.js';

const folders = z.array(z.string().min(1)).min(1);
const shipped = (split: string): string[] => [fileURLToPath(new URL(`../tasks/${split}`, import.meta.url))];

const tasks = z
  .discriminatedUnion('source', [
    z
      .strictObject({ source: z.literal('shipped') })
      .describe('five small tasks that come with the environment'),
    z
      .strictObject({
        source: z.literal('folders'),
        train: folders.describe('folders of tasks, or of one task'),
        validation: folders
          .optional()
          .describe('folders of tasks for validation; without them a tenth is held out'),
        test: folders
          .optional()
          .describe('folders of tasks for test; their tasks are left out of the others'),
      })
      .describe("tasks of Harbor's format"),
  ])
  .prefault({ source: 'shipped' })
  .describe('where tasks come from');

/** How many sets of tasks a process keeps. */
const kept = 4;
const openTasks = data.openOnce(
  (source: TaskSource) => readTasks(source),
  (source) => [...source.train, ...(source.validation ?? []), ...(source.test ?? [])],
  kept,
);

export default defineEnvironment({
  id: 'harbor',
  summary: "Solve tasks of Harbor in a shell; the tasks' own tests give the reward.",
  params: z.strictObject({
    tasks,
    unsupported: z
      .enum(['refuse', 'skip'])
      .default('refuse')
      .describe('what happens to tasks that need a container: the run is refused, or they are left out'),
    installs: z
      .enum(['refuse', 'assume'])
      .default('refuse')
      .describe(
        'RUN lines of a Dockerfile that get packages: the task needs a container, or this machine is assumed to have the packages',
      ),
    network: z.boolean().default(false).describe("commands and tests reach this machine's network"),
    prove: z
      .boolean()
      .default(true)
      .describe('before its first episode a task is tried without a command, and with its solution'),
    reward: z
      .string()
      .min(1)
      .default('reward')
      .describe('name of the reward to learn from, where the tests give several'),
    successReward: z.number().default(1).describe('a task is solved with at least this reward'),
    maxCommands: z
      .int()
      .min(1)
      .max(1000)
      .default(10)
      .describe('commands of an episode, `submit` among them; after the last one the tests run in any case'),
    commandTimeoutMs: z
      .int()
      .min(10)
      .max(3_600_000)
      .default(8000)
      .describe(
        'time limit of one command, besides `agent.timeout_sec` of the task for all of them together',
      ),
    maxObservation: z
      .int()
      .min(50)
      .max(100_000)
      .default(2000)
      .describe(
        'characters of the output of a command that are shown, half from its begin and half from its end',
      ),
    episodes: z.int().min(1).max(256).default(4).describe('episodes at once'),
  }),
  metrics: {
    command_failed: {
      unit: 'probability',
      formula: '1 if the command ended with another status than 0, or was cut off',
    },
    tests_failed_to_run: {
      unit: 'probability',
      formula: '1 if the tests gave no reward, or did not end in time; the reward is 0 then',
    },
  },
  instruction: () =>
    [
      'Solve the task in a shell. An action is one command for bash; you see its output, and then you choose the next one.',
      `When the task is done, the action ${submit} ends it.`,
      'Example answer: <answer>ls -l</answer>',
    ].join(' '),
  limits: ({ maxCommands }) => ({ maxTurns: maxCommands, maxActions: maxCommands, maxActionsPerTurn: 1 }),
  reads: ({ maxCommands, episodes }) => ({ noise: false, plans: false, actions: maxCommands, episodes }),
  inert: ({ tasks: { source } }) =>
    source === 'shipped' ? ['unsupported', 'installs', 'prove', 'reward'] : [],
  create: ({ tasks: source, unsupported, installs, prove, episodes: _episodes, ...options }) => {
    const { network } = options;
    const found =
      source.source === 'shipped'
        ? { train: shipped('train'), validation: shipped('validation'), test: shipped('test') }
        : source;
    return createHarbor({
      ...options,
      prove: prove && source.source !== 'shipped',
      splits: () => openTasks({ ...found, unsupported, installs, network }),
    });
  },
});
