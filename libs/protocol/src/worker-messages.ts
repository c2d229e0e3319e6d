/**
 * @file The messages between worker and server on the socket.io namespace `/workers`. The worker authenticates with
 * `auth: { key }` of the handshake and begins with `hello`; all its messages are acknowledged by an `Answer`. Every
 * message about an attempt carries the attempt's fencing token: a number that grows with each attempt of a job. One
 * that is not the job's newest is refused with `worker.fenced`.
 */
import { isSafeName, isSafePath } from '@espalier/contracts';
import { z } from 'zod';
import { attemptStreams, numberedEvent } from './attempt-event.js';
import { count, list, text } from './bounds.js';
import { deviceSchema } from './device.js';
import { maxContinuedTurns, maxRescored } from './evaluation-result.js';
import { jobKinds } from './job.js';
import { pluginVersion } from './plugin-version.js';

/** Grows when a change would be misunderstood; the server says which it speaks. */
export const workerProtocol = 1;

const plugins = list(pluginVersion, 1024).describe('its plugins that are not built in');

/** Longest deadline of a drain: a week. */
const maxDrainMs = 7 * 24 * 3_600_000;

/** Ids and paths that become folders of the worker. */
const folderName = text(64).refine(isSafeName, { error: 'not a plain name' });
const checkpointPath = text(1000).refine(isSafePath, { error: 'not a plain relative path' });

const attempt = { attemptId: text(64, { least: 1 }), token: count.min(1) };

/** `hello`: first message after every connection. */
export const helloMessage = z.object({
  protocol: z.int(),
  name: text(100, { least: 1 }).describe('unique among workers; two of one name: the newer connection wins'),
  instance: text(64, { least: 1 }).describe('made anew whenever the worker process starts'),
  host: text(300),
  version: text(100),
  node: text(100),
  labels: z.array(text(64)).max(16).default([]),
  devices: list(deviceSchema, 1024),
  plugins,
  holding: list(z.object({ ...attempt, state: z.enum(['running', 'ended']) }), 1024).describe(
    'attempts whose process runs, or whose events are not all acknowledged yet',
  ),
});
export type HelloMessage = z.input<typeof helloMessage>;

/** The server's answer to `hello`. */
export interface Welcome {
  readonly workerId: string;
  readonly protocol: number;
  /** An attempt not renewed for this long ends as lost, and its job is queued again, ms. */
  readonly leaseMs: number;
  /** How often to send `heartbeat`, ms. */
  readonly heartbeatMs: number;
  /** Attempts among `holding` that continue, with the last sequence stored of each stream. */
  readonly resumed: readonly {
    readonly attemptId: string;
    readonly acked: Readonly<Record<string, number>>;
  }[];
  /** Attempts among `holding` that belong to another worker now, or to none: end their process and send nothing more. */
  readonly fenced: readonly string[];
}

/** `heartbeat`: renews the leases. */
export const heartbeatMessage = z.object({
  devices: list(deviceSchema, 1024),
  plugins,
  attempts: list(z.object(attempt), 1024),
  closing: z.boolean().optional().describe('it is about to end and takes on nothing more'),
});
export interface HeartbeatAnswer {
  readonly fenced: readonly string[];
}

/** `events`: some consecutive lines of one stream of an attempt. */
export const eventsMessage = z.object({
  ...attempt,
  stream: z.enum(attemptStreams),
  events: list(numberedEvent, 2000, 1),
});
export type EventsMessage = z.input<typeof eventsMessage>;
export interface EventsAnswer {
  /** Last sequence that is stored for good; send from the next. */
  readonly acked: number;
}

/** What the server answers to any message of a worker. */
export type Answer<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly code: string; readonly message: string };

/** What an evaluation job measures, or with which checkpoint a chat is. */
export const evaluationJob = z.object({
  path: checkpointPath.describe('checkpoint folder inside the run’s artifacts'),
  episodes: z.int().min(1),
  split: z
    .enum(['validation', 'test', 'stored'])
    .describe('states to play; `stored`: none, see `rescore`. Workers of versions without it refuse the job'),
  continue: z
    .object({
      trajectory: text(200).describe('id of the trajectory'),
      step: count.describe('step whose file has it'),
      turns: z.array(count).max(maxContinuedTurns).describe('turns to continue from, counted from 0'),
    })
    .optional()
    .describe('continue a trajectory of the run, `episodes` times from each turn, instead of playing states'),
  rescore: z
    .object({
      rewards: z
        .array(z.record(z.string(), z.unknown()))
        .max(maxRescored.rewards)
        .describe('entries as in a spec'),
      steps: z.array(count).min(1).max(maxRescored.steps).describe('steps whose files have them'),
      logprobs: z.boolean().describe('score every sampled token by the checkpoint'),
      trajectory: text(200).optional().describe('id of the only one that is scored, token by token'),
    })
    .optional()
    .describe('score the stored trajectories of these steps again, instead of playing states'),
  chat: z
    .object({ idleSeconds: count.min(1).describe('ends when nobody has called for so long') })
    .optional()
    .describe('answer `call` instead, in a job of the kind `chat`'),
});

/** `assign`, from the server: start this attempt. Answered by `Answer<null>`; a refusal gives the job back. */
export const assignment = z.object({
  attemptId: folderName,
  token: attempt.token,
  jobId: z.string(),
  runId: folderName,
  number: z.int().min(1).describe('of the attempt among its job’s'),
  kind: z.enum(jobKinds),
  spec: z.record(z.string(), z.unknown()).describe('the resolved spec'),
  devices: z.array(deviceSchema),
  threads: z.int().min(1),
  plugins: z
    .array(pluginVersion)
    .optional()
    .describe('those the job began with, which have to lie here unchanged; those of Espalier aside'),
  resume: z
    .object({
      step: z.int().min(0),
      path: checkpointPath.describe('checkpoint folder inside the run’s artifacts'),
    })
    .nullable()
    .describe('newest stored checkpoint; null: from the beginning, unless the worker has the run’s folder'),
  fork: z
    .object({
      runId: folderName,
      path: checkpointPath.describe('checkpoint folder inside that run’s artifacts'),
      continues: z
        .boolean()
        .default(false)
        .describe('continue with everything it holds; without, only its weights are taken'),
    })
    .nullable()
    .describe('checkpoint of another run to begin with; only for an attempt that begins'),
  evaluate: evaluationJob.nullable(),
});
export type Assignment = z.infer<typeof assignment>;

/** `control`, from the server: `pause` saves and stops, `cancel` too but for good, `kill` ends at once. */
export const controlMessage = z.object({ ...attempt, action: z.enum(['pause', 'cancel', 'kill']) });
export type ControlMessage = z.infer<typeof controlMessage>;

/** `drain`, from the server: save and stop all attempts; those that run after the deadline are killed. */
export const drainMessage = z.object({ deadlineMs: z.int().min(0).max(maxDrainMs) });
