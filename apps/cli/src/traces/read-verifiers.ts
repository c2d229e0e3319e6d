/**
 * @file Lines that `verifiers` saves: episodes of `traces.jsonl` (0.4: a graph of messages for each agent), and rows of `results.jsonl`
 * (up to 0.1: prompt, completion and reward), also as rows of a data set.
 */
import { createHash } from 'node:crypto';
import { chatMessages, readChatMessages, type RecordedReply } from '@espalier/endpoint';
import { z } from 'zod';
import type { RecordedEpisode } from './recorded-episode.js';

const number = z.number().refine(Number.isFinite);
const record = z.record(z.string(), z.unknown());

const node = z.looseObject({
  parent: z.int().min(0).nullish(),
  message: record,
  sampled: z.boolean().default(false),
  token_ids: z.array(z.int().min(0)).default([]),
  mask: z.array(z.boolean()).default([]),
  logprobs: z.array(z.number()).default([]),
});

const trace = z.looseObject({
  task: z.looseObject({
    type: z.string().default(''),
    key: z.string().nullish(),
    hash: z.string().nullish(),
    data: z.unknown(),
  }),
  tools: z
    .array(z.looseObject({ name: z.string(), description: z.string().default(''), parameters: z.unknown() }))
    .default([]),
  nodes: z.array(node).min(1),
  calls: z.array(z.looseObject({ node: z.int().nullish(), finish_reason: z.string().nullish() })).default([]),
  rewards: z
    .record(z.string(), z.looseObject({ score: number, weight: number.default(1) }).nullable())
    .default({}),
  metrics: z.record(z.string(), number.nullable()).default({}),
  errors: z.array(z.looseObject({ type: z.string(), message: z.string() })).default([]),
  timing: z
    .looseObject({ agent: z.looseObject({ start: z.number(), end: z.number() }).optional() })
    .optional(),
});
type Trace = z.infer<typeof trace>;

const episode = z.looseObject({ env: z.looseObject({ id: z.string() }), traces: z.array(trace) });

const spoken = z.union([z.string(), z.array(record)]);
const row = z.looseObject({
  prompt: spoken,
  completion: spoken,
  reward: number,
  task: z.string().default('verifiers'),
  example_id: z.union([z.string(), z.number()]).nullish(),
  error: z.string().nullish(),
  total_ms: z.number().nullish(),
});

/** Columns of a row that are numbers, but no metrics. */
const noMetrics = new Set(['reward', 'example_id', 'generation_ms', 'scoring_ms', 'total_ms']);

/** Reads a line. @throws Error that says what is wrong with it */
export function readVerifiersLine(text: string): RecordedEpisode[] {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new Error('it is no JSON');
  }
  if (typeof value !== 'object' || value === null) throw new Error('it is no object');
  if ('traces' in value) {
    const { env, traces } = parse(episode, value);
    return traces.map((one, at) => fromTrace(one, env.id, `traces.${at}`));
  }
  if ('nodes' in value) return [fromTrace(parse(trace, value), '', '')];
  if ('completion' in value) return [fromRow(parse(row, value))];
  throw new Error('it has neither `traces` (verifiers 0.4) nor `prompt` and `completion` (results.jsonl)');
}

function parse<T extends z.ZodType>(schema: T, value: unknown): z.output<T> {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const { path, message } = result.error.issues[0]!;
  throw new Error(`${path.join('.')}: ${message}`);
}

function fromTrace(read: Trace, environment: string, place: string): RecordedEpisode {
  const { nodes, task } = read;
  const paths: number[][] = [];
  for (const [at, { parent }] of nodes.entries()) {
    if (typeof parent === 'number' && parent >= at)
      throw new Error(`${place}.nodes.${at}.parent: ${parent} is not before it`);
    paths.push([...(typeof parent === 'number' ? paths[parent]! : []), at]);
  }
  const tools = read.tools.map(({ name, description, parameters }) => ({
    type: 'function' as const,
    function: { name, description, parameters },
  }));
  const replies = nodes.flatMap((one, at): RecordedReply[] => {
    if (!one.sampled) return [];
    const messages = readMessages(paths[at]!.map((index) => nodes[index]!.message));
    const sampledIds = one.token_ids.filter((_, token) => one.mask[token] === true);
    return [
      {
        messages: messages.slice(0, -1),
        reply: messages.at(-1)!,
        tools,
        isCut: read.calls.some((call) => call.node === at && call.finish_reason === 'length'),
        sampled: sampledIds.length === 0 ? undefined : { ids: sampledIds, logprobs: one.logprobs },
      },
    ];
  });
  const { start = 0, end = 0 } = read.timing?.agent ?? {};
  const last = read.errors.at(-1);
  return {
    task: task.key ?? task.hash ?? hashOf(task.data),
    environment: environment === '' ? task.type : environment,
    replies,
    rewards: Object.fromEntries(
      Object.entries(read.rewards).flatMap(([name, reward]) =>
        reward === null ? [] : [[name, { value: reward.score, weight: reward.weight }]],
      ),
    ),
    metrics: onlyNumbers(read.metrics),
    error: last === undefined ? undefined : `${last.type}: ${last.message}`,
    totalMs: Math.max(0, end - start) * 1000,
  };
}

function fromRow(read: z.infer<typeof row>): RecordedEpisode {
  const { prompt, completion, reward, task, example_id: id, error, total_ms: totalMs } = read;
  const asked = toMessages(prompt, 'user');
  const said = toMessages(completion, 'assistant');
  const messages = readMessages([...asked, ...said]);
  const replies = messages.flatMap((message, at): RecordedReply[] =>
    at >= asked.length && message.role === 'assistant'
      ? [{ messages: messages.slice(0, at), reply: message, tools: [], isCut: false }]
      : [],
  );
  return {
    task: id === null || id === undefined ? hashOf(prompt) : `${task} ${id}`,
    environment: task,
    replies,
    rewards: { reward: { value: reward, weight: 1 } },
    metrics: onlyNumbers(Object.fromEntries(Object.entries(read).filter(([name]) => !noMetrics.has(name)))),
    error: error ?? undefined,
    totalMs: totalMs ?? 0,
  };
}

const toMessages = (given: z.infer<typeof spoken>, role: string): Record<string, unknown>[] =>
  typeof given === 'string' ? [{ role, content: given }] : given;

/** Messages in the form of chat completions, whatever the version has them in. */
function readMessages(given: readonly Record<string, unknown>[]): ReturnType<typeof readChatMessages> {
  const plainOf = (message: Readonly<Record<string, unknown>>): unknown => {
    const { tool_calls: calls, reasoning_content: thought, content } = message;
    return {
      ...message,
      ...(typeof thought === 'string' && thought !== '' && message['role'] === 'assistant'
        ? { content: `<think>\n${thought}\n</think>\n\n${typeof content === 'string' ? content : ''}` }
        : {}),
      ...(Array.isArray(calls) ? { tool_calls: calls.map(plainCall) } : {}),
    };
  };
  try {
    return readChatMessages(parse(chatMessages, given.map(plainOf)));
  } catch (cause) {
    throw new Error(`messages: ${(cause as Error).message}`, { cause });
  }
}

/** 0.4 has name and arguments of a call beside its id, 0.1 the whole call as text. */
function plainCall(call: unknown): unknown {
  const read: unknown = typeof call === 'string' ? JSON.parse(call) : call;
  if (typeof read !== 'object' || read === null || 'function' in read) return read;
  const { id, name, arguments: given } = read as Record<string, unknown>;
  return { id, type: 'function', function: { name, arguments: given } };
}

function onlyNumbers(values: Readonly<Record<string, unknown>>): Record<string, number> {
  return Object.fromEntries(
    Object.entries(values).filter((entry): entry is [string, number] => Number.isFinite(entry[1])),
  );
}

const hashOf = (value: unknown): string =>
  createHash('sha256')
    .update(JSON.stringify(value) ?? '')
    .digest('hex')
    .slice(0, 16);
