import { data, defineEnvironment } from '@espalier/plugin-kit';
import { z } from 'zod';
import { createMcp } from './mcp.js';
import { generateTasks } from './task/generate.js';
import { readTasks } from './task/read-tasks.js';
import { isShared } from './task/task.js';

const paths = z.array(z.string().min(1)).min(1);

const generated = z
  .strictObject({
    source: z.literal('generated'),
    seed: z.int().min(0).max(4294967295).default(0).describe('seed of the tasks'),
    count: z.int().min(100).max(10_000).default(1000).describe('how many tasks to make'),
  })
  .describe('tasks for the desk, a small server that comes with the environment');

const files = z
  .strictObject({
    source: z.literal('files'),
    train: paths.describe('paths of task files (YAML)'),
    validation: paths
      .optional()
      .describe('paths of task files for validation; without them a tenth is held out'),
    test: paths.optional().describe('paths of task files for test; their tasks are left out of the others'),
  })
  .describe('task files over MCP servers of your own');

type Source = z.infer<typeof generated> | z.infer<typeof files>;

/** How many sets of tasks a process keeps. */
const kept = 4;
const openTasks = data.openOnce(
  (source: Source) =>
    source.source === 'files' ? readTasks(source) : generateTasks(source.seed, source.count),
  (source) =>
    source.source === 'files' ? [...source.train, ...(source.validation ?? []), ...(source.test ?? [])] : [],
  kept,
);

/** Episodes at once: one where a server is shared, since the others would wait for it until they are late. */
function episodesAtOnce(tasks: Source, servers: number): number {
  try {
    return Object.values(openTasks(tasks)).flat().some(isShared) ? 1 : servers;
  } catch {
    // where only settings are read there may be no files; `reset` tells what is wrong with them
    return servers;
  }
}

export default defineEnvironment({
  id: 'mcp',
  summary: 'Reach a goal with the tools of an MCP server.',
  params: z.strictObject({
    tasks: z
      .discriminatedUnion('source', [generated, files])
      .prefault({ source: 'generated' })
      .describe('where tasks come from'),
    servers: z.int().min(1).max(256).default(8).describe("servers' processes at once in this process"),
    startTimeoutMs: z
      .int()
      .min(1)
      .max(600_000)
      .default(8000)
      .describe('time limit for a server to answer at first'),
    toolTimeoutMs: z.int().min(1).max(600_000).default(5000).describe('time limit of one call of a tool'),
    maxMessageBytes: z
      .int()
      .min(1024)
      .max(2 ** 30)
      .default(4 * 2 ** 20)
      .describe('largest message of a server; one that sends more is ended'),
    maxObservation: z
      .int()
      .min(50)
      .max(100_000)
      .default(2000)
      .describe('characters of a result that are shown'),
    repeatGoal: z
      .boolean()
      .default(false)
      .describe('goal and tools are part of every observation, not only the first'),
  }),
  metrics: {
    tool_error: { unit: 'probability', formula: '1 if the tool answered an error' },
    checks_met: { unit: 'ratio', formula: 'demands of the check that hold at the end ÷ demands' },
  },
  instruction: () =>
    [
      'Reach the goal by calling tools, then finish. An action is one call: name(key="text", other=3).',
      'You see its result, and then you choose the next one.',
      'Example answer: <answer>get_value(key="color")</answer>',
    ].join(' '),
  limits: () => ({ maxTurns: 10, maxActions: 10, maxActionsPerTurn: 1 }),
  reads: ({ tasks, servers }) => ({
    noise: false,
    ...(tasks.source === 'files' && { episodes: episodesAtOnce(tasks, servers) }),
  }),
  inert: ({ tasks }) => (tasks.source === 'generated' ? ['servers', 'maxMessageBytes'] : []),
  create: ({ tasks, startTimeoutMs, toolTimeoutMs, ...options }) =>
    createMcp({
      ...options,
      startMs: startTimeoutMs,
      callMs: toolTimeoutMs,
      splits: () => openTasks(tasks),
      // those that are generated are tried by the tests
      trial: tasks.source === 'files',
    }),
});
