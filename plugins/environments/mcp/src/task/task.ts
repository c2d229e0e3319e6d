/** @file What a task is: a server, a goal, tools, a start and a check, as a task file gives them. */
import { z } from 'zod';
import { statelessProtocol } from '../server/protocol.js';
import { alias, pathInFolder } from '../workspace.js';

const texts = z.record(z.string().min(1), z.string());

/** A path in the folder of an episode, with or without `/files/` before it; read as the path from there. */
const filePath = z
  .string()
  .min(1)
  .transform((given, { addIssue }) => {
    const path = pathInFolder(given);
    if (path === undefined)
      addIssue(
        `the path ${JSON.stringify(given)} leads out of the folder, or is the folder itself; name a file in it, such as a.txt or ${alias}/a.txt`,
      );
    return path ?? z.NEVER;
  });

const call = z.strictObject({
  tool: z.string().min(1),
  arguments: z.record(z.string(), z.unknown()).default({}),
});

const matcher = {
  equals: z.unknown().optional(),
  contains: z.string().min(1).optional(),
  lacks: z.string().min(1).optional(),
  like: z.string().min(1).optional(),
};
const matchers = Object.keys(matcher);
const hasMatcher = (value: object): boolean => matchers.some((name) => name in value);
const needsMatcher = { message: `give one of ${matchers.join(', ')}` };

const check = z
  .strictObject({
    answer: z.strictObject(matcher).refine(hasMatcher, needsMatcher).optional(),
    calls: z
      .array(
        z
          .strictObject({ ...call.shape, path: z.string().min(1).optional(), ...matcher })
          .refine(hasMatcher, needsMatcher),
      )
      .default([]),
    files: z
      .array(
        z
          .strictObject({ path: filePath, exists: z.boolean().optional(), ...matcher })
          .refine(
            (file) => (file.exists === false ? !hasMatcher(file) : hasMatcher(file) || file.exists === true),
            {
              message: `give one of ${matchers.join(', ')}, or exists alone`,
            },
          ),
      )
      .default([]),
  })
  .refine(({ answer, calls, files }) => answer !== undefined || calls.length + files.length > 0, {
    message: 'give answer, calls or files',
  });

const server = z
  .strictObject({
    name: z.string().min(1).max(60).optional(),
    builtIn: z.enum(['desk']).optional(),
    command: z.string().min(1).optional(),
    args: z.array(z.string()).default([]),
    environment: texts.default({}),
    environmentFrom: z.array(z.string().min(1)).default([]),
    url: z.string().min(1).optional(),
    headersFrom: texts.default({}),
    protocol: z.enum(['auto', statelessProtocol, 'handshake']).default('auto'),
    /** whether a server that all episodes share keeps a state of its own for each connection */
    state: z.enum(['shared', 'own']).optional(),
  })
  .refine(
    ({ builtIn, command, url }) => (builtIn === undefined) === (command !== undefined || url !== undefined),
    {
      message: 'give builtIn, or else command, url or both',
    },
  )
  .refine(
    ({ command, args, environment, environmentFrom }) =>
      command !== undefined ||
      (args.length === 0 && Object.keys(environment).length === 0 && environmentFrom.length === 0),
    {
      message: 'args, environment and environmentFrom need a command',
    },
  )
  .refine(({ url, headersFrom }) => url !== undefined || Object.keys(headersFrom).length === 0, {
    message: 'headersFrom needs a url',
  })
  .refine(({ command, url, state }) => state === undefined || (command === undefined && url !== undefined), {
    message: 'state is for a url without a command; other servers belong to one episode',
  });

const task = z.strictObject({
  id: z.string().min(1).max(100),
  goal: z.string().min(1).max(4000),
  group: z.string().min(1).optional(),
  tools: z.array(z.string().min(1)).min(1).optional(),
  setup: z
    .strictObject({ files: z.record(filePath, z.string()).default({}), calls: z.array(call).default([]) })
    .prefault({}),
  check,
  solution: z.strictObject({ calls: z.array(call).default([]), answer: z.string().optional() }).optional(),
});

/** A file: tasks over one server, with the tools of those that name none. */
export const taskFile = z.strictObject({
  server,
  tools: z.array(z.string().min(1)).min(1).optional(),
  tasks: z.array(task).min(1),
});

export type TaskFile = z.infer<typeof taskFile>;
export type Matcher = z.infer<z.ZodObject<typeof matcher>>;
export type Check = TaskFile['tasks'][number]['check'];

/** A task with what it takes from its file. */
export type Task = TaskFile['tasks'][number] & {
  readonly server: TaskFile['server'];
  /** folder of the task file: `{here}` */
  readonly here: string;
  /** for messages */
  readonly place: string;
};

/** Whether all episodes share the server and its state, so that nothing but the setup restores the start. */
export const isShared = ({ server: { command, url, state } }: Pick<Task, 'server'>): boolean =>
  url !== undefined && command === undefined && state !== 'own';
