import { AppError, defineEnvironment } from '@espalier/plugin-kit';
import { z } from 'zod';
import { createOpenEnv } from './openenv.js';

export default defineEnvironment({
  id: 'openenv',
  summary: 'Act in an environment that a server of OpenEnv offers.',
  params: z.strictObject({
    url: z
      .url({ protocol: /^(https?|wss?)$/ })
      .default('http://127.0.0.1:8000')
      .describe('address of the server'),
    keyVariable: z
      .string()
      .regex(/^[A-Z_][A-Z0-9_]*$/)
      .optional()
      .describe('environment variable with a key that is sent as Authorization: Bearer …'),
    instruction: z
      .string()
      .min(1)
      .max(10_000)
      .default('Act in the environment until the task is done.')
      .describe('what the model is told to do'),
    actionField: z
      .string()
      .min(1)
      .optional()
      .describe(
        'field of the action that the text of an action goes into; default: the only one that is required, if it is a text; else an action is a JSON object',
      ),
    actions: z
      .array(z.string().min(1))
      .min(1)
      .optional()
      .describe(
        'names of the actions; default: `actions` of the observation, or the choices in the schema, or any text',
      ),
    show: z
      .array(z.string().min(1))
      .min(1)
      .optional()
      .describe('fields of an observation that the model sees; default: `text` if there is one, else all'),
    reset: z
      .record(z.string(), z.unknown())
      .default({})
      .describe('further fields of every reset, such as a task; `seed` and `noise_seed` come from the run'),
    successReward: z
      .number()
      .default(1)
      .describe(
        'an episode is solved when it ends with at least this sum of rewards, unless its observation has `success`',
      ),
    episodes: z
      .int()
      .min(1)
      .max(4096)
      .default(16)
      .describe('episodes at once; each is a session of the server'),
    maxTurns: z.int().min(1).max(1000).default(20).describe('default limit of turns, and of actions'),
    connectTimeoutMs: z
      .int()
      .min(1)
      .max(600_000)
      .default(8000)
      .describe('time limit for a connection, and for a session to become free'),
    answerTimeoutMs: z.int().min(1).max(600_000).default(8000).describe('time limit of one reset or step'),
    maxMessageBytes: z
      .int()
      .min(1024)
      .max(2 ** 30)
      .default(4 * 2 ** 20)
      .describe('largest message of the server'),
  }),
  metrics: {
    refused: { unit: 'probability', formula: '1 if the server did not take the action' },
  },
  instruction: ({ instruction }) => instruction,
  limits: ({ maxTurns }) => ({ maxTurns, maxActions: maxTurns, maxActionsPerTurn: 1 }),
  reads: ({ episodes }) => ({ episodes }),
  create: ({
    keyVariable,
    connectTimeoutMs,
    answerTimeoutMs,
    instruction: _i,
    episodes: _e,
    maxTurns: _m,
    ...options
  }) =>
    createOpenEnv({
      ...options,
      actionField: options.actionField,
      actions: options.actions,
      show: options.show,
      key: keyVariable === undefined ? undefined : readKey(keyVariable),
      connectMs: connectTimeoutMs,
      callMs: answerTimeoutMs,
    }),
});

function readKey(variable: string): string {
  const key = process.env[variable];
  if (key !== undefined && key !== '') return key;
  throw new AppError(
    'plugin.failed',
    `connect to the environment: the variable ${variable} is not set; set it to the key of the server`,
  );
}
