import { AppError, defineEnvironment } from '@espalier/plugin-kit';
import { z } from 'zod';

const params = z
  .strictObject({
    command: z
      .array(z.string().min(1))
      .min(1)
      .optional()
      .describe(
        'the program and its arguments, started once for each episode with its address, key and task seed in environment variables; absent: the run waits for sessions that programs from outside open',
      ),
    folder: z
      .string()
      .min(1)
      .optional()
      .describe('working directory of the program; default: that of the run'),
    environment: z
      .record(z.string().regex(/^[A-Za-z_]\w*$/), z.string())
      .default({})
      .describe('further environment variables of the program; those that Espalier sets go before'),
    programs: z.int().min(1).max(4096).default(16).describe('programs at once'),
    host: z.string().min(1).default('127.0.0.1').describe('address that the endpoint listens on'),
    port: z
      .int()
      .min(0)
      .max(65535)
      .optional()
      .describe('port of the endpoint; 0: any free one; default: 0 with a `command`, else 4600'),
    keyVariable: z
      .string()
      .regex(/^[A-Za-z_]\w*$/)
      .optional()
      .describe(
        'name of the environment variable with the API key that agents must send; needed beyond the loopback address',
      ),
    maxCalls: z.int().min(1).max(10_000).default(32).describe('most calls of the model in an episode'),
    sessionTimeoutMs: z
      .int()
      .min(1)
      .max(86_400_000)
      .default(600_000)
      .describe('time limit of an episode, from its start to its reward'),
    idleTimeoutMs: z
      .int()
      .min(1)
      .max(86_400_000)
      .default(120_000)
      .describe('an episode has failed when the model was not called for so long'),
  })
  .refine(
    ({ command, folder, environment }) =>
      command !== undefined || (folder ?? Object.keys(environment)[0]) === undefined,
    {
      path: ['command'],
      message:
        '`folder` and `environment` are of a program that the run starts; give its `command`, or leave them out',
    },
  );

export default defineEnvironment({
  id: 'agent-program',
  summary: 'A program of your own plays, and asks the policy over HTTP as it would ask a model service.',
  params,
  limits: ({ maxCalls }) => ({ maxTurns: maxCalls, maxActions: maxCalls, maxActionsPerTurn: 1 }),
  reads: ({ command, programs }) => ({ plans: false, ...(command !== undefined && { episodes: programs }) }),
  inert: ({ command }) => (command === undefined ? ['programs'] : []),
  agent: ({ programs: _programs, maxCalls: _maxCalls, ...program }) => ({
    ...program,
    port: program.port ?? (program.command === undefined ? 4600 : 0),
  }),
  create: () => {
    throw new AppError(
      'plugin.failed',
      'environment agent-program: its episodes are played by a program, not turn by turn; train or evaluate with it',
    );
  },
});
