/** @file Settings of a worker: `config/worker.yaml`, with `ESPALIER__WORKER__…` of the environment on top. */
import { hostname } from 'node:os';
import { resolveDeployment } from '@espalier/config';
import { passEnvironment } from '@espalier/protocol';
import { z } from 'zod';

const inMs = { unit: 'ms' };

const timing = z.strictObject({
  pollMs: z.int().min(10).default(150).meta(inMs).describe('interval between polls of an attempt’s files'),
  sampleMs: z.int().min(100).default(1000).meta(inMs).describe('interval between GPU readings'),
  ackTimeoutMs: z.int().min(100).default(15_000).meta(inMs).describe('timeout for an answer from the server'),
  reconnectMinMs: z.int().min(10).default(500).meta(inMs).describe('first delay before reconnecting'),
  reconnectMaxMs: z
    .int()
    .min(10)
    .default(5000)
    .meta(inMs)
    .describe('longest delay before reconnecting; capped at a third of the server’s lease'),
  graceMs: z.int().min(0).default(60_000).meta(inMs).describe('time between a request to stop and SIGKILL'),
  transferRetryMs: z
    .int()
    .min(10)
    .default(1000)
    .meta(inMs)
    .describe('first delay before a transfer is retried'),
  transferTries: z.int().min(1).default(8).describe('attempts at a transfer while the server is reachable'),
});

const settings = z.strictObject({
  server: z
    .union([z.url({ protocol: /^https?$/ }), z.array(z.url({ protocol: /^https?$/ })).min(1)])
    .default('http://127.0.0.1:4500')
    .describe(
      'address of the server; a list of addresses where others stand by: [http://a:4500, http://b:4500]',
    ),
  key: z.string().min(1).describe('API key with the role worker'),
  name: z
    .string()
    .min(1)
    .max(100)
    .default(hostname())
    .describe('unique among the workers of a server; default: the hostname'),
  data: z.string().min(1).default('worker').describe('folder for attempts and runs; used by one worker only'),
  modelRoots: z
    .array(z.string().min(1))
    .default([])
    .describe(
      'absolute folders from which runs may load models by path; if empty, runs can use only model plugins and their own checkpoints; the server has its own list',
    ),
  hubOwners: z
    .array(z.string().regex(/^(?:\*|[A-Za-z0-9][\w.-]*)$/, 'expected the name of an owner, or *'))
    .default([])
    .describe(
      'owners on the model hub whose models runs may download; * allows all; if empty, a run that names a model of the hub is refused',
    ),
  slots: z
    .int()
    .min(0)
    .max(256)
    .optional()
    .describe(
      'CPU jobs at once; cores and memory are divided evenly; default: 1, or 0 on a machine with GPUs',
    ),
  gpus: z
    .enum(['auto', 'off'])
    .default('auto')
    .describe('auto: offer every GPU that nvidia-smi reports and CUDA_VISIBLE_DEVICES, if it is set, lists'),
  labels: z.array(z.string().min(1).max(64)).max(16).default([]).describe('labels that jobs can require'),
  cli: z
    .string()
    .optional()
    .describe('entry script of the espalier CLI; default: the one of this installation'),
  passEnvironment,
  reportTo: z
    .array(z.string().regex(/^(?:tensorboard|mlflow|otlp)(?::|$)/, 'expected tensorboard, mlflow or otlp'))
    .default([])
    .describe(
      'experiment trackers that every training run reports to, as `espalier train --report-to` takes them; add variables with credentials to passEnvironment',
    ),
  jobMemoryMb: z
    .int()
    .min(0)
    .default(0)
    .meta({ unit: 'MiB' })
    .describe(
      'most memory of a training process and its children (Linux); one that uses more is ended; a run can set less (device.memoryMb); 0: no limit',
    ),
  onStop: z
    .enum(['drain', 'leave'])
    .default('drain')
    .describe(
      'jobs at SIGTERM or Ctrl-C: drain: they save, stop and continue on another worker; leave: their processes keep running, and the next worker on this data folder adopts them',
    ),
  drainSeconds: z
    .number()
    .min(0)
    .max(604_800)
    .default(600)
    .describe(
      'deadline of a drain at SIGTERM; processes that run after it are killed and their jobs requeued',
    ),
  keepRunsDays: z
    .number()
    .min(0)
    .default(7)
    .meta({ unit: 'days' })
    .describe('how long an unused run folder is kept'),
  logMb: z
    .int()
    .min(1)
    .default(256)
    .meta({ unit: 'MiB' })
    .describe('limit on the output of a training process; further lines are dropped with a warning'),
  minFreeMb: z
    .int()
    .min(0)
    .default(1024)
    .meta({ unit: 'MiB' })
    .describe('free disk space below which jobs are refused'),
  timing: timing.prefault({}).describe('intervals and timeouts'),
});
/** The settings; contradictory ones are rejected. */
export const workerOptions = settings.superRefine(findContradictions);
export type WorkerOptions = z.output<typeof settings>;
export type WorkerOptionsInput = z.input<typeof settings>;

/** What the command line knows beyond files and environment variables. */
export interface WorkerSettingsOrigin {
  /** names of its options, by the environment variable that each one replaces */
  readonly called?: Readonly<Record<string, string>>;
  /** finds the key for a server when none was given; throws if there is none */
  readonly keyTo?: (server: string) => string;
}

/** The addresses of a server and those that stand by; at least one. */
export function addressesOf({ server }: Pick<WorkerOptions, 'server'>): [string, ...string[]] {
  const list = typeof server === 'string' ? [server] : server;
  return list as [string, ...string[]];
}

const prefix = 'ESPALIER__WORKER';
const beforeKey = settings.extend({ key: settings.shape.key.optional() }).superRefine(findContradictions);

/**
 * Loads the settings of a worker.
 *
 * @throws config.unreadable, config.unknown_key, config.wrong_type, and whatever `keyTo` throws
 */
export function loadWorkerOptions(
  file = 'config/worker.yaml',
  env: Readonly<Record<string, string | undefined>> = process.env,
  { called = {}, keyTo }: WorkerSettingsOrigin = {},
): WorkerOptions {
  if (keyTo === undefined) return resolveDeployment(workerOptions, file, env, prefix, called);
  const { key, ...options } = resolveDeployment(beforeKey, file, env, prefix, called);
  return { ...options, key: key ?? keyTo(addressesOf(options)[0]) };
}

/** Reports contradictory settings, each at the setting to change. */
function findContradictions(
  options: Pick<z.output<typeof settings>, 'slots' | 'gpus' | 'timing'>,
  { addIssue }: Pick<z.RefinementCtx, 'addIssue'>,
): void {
  const add = (path: string[], message: string): void =>
    addIssue({ code: 'custom', path, message, input: options });
  const { slots, gpus, timing } = options;
  const { reconnectMinMs, reconnectMaxMs } = timing;
  if (slots === 0 && gpus === 'off')
    add(
      ['slots'],
      'a worker without slots and GPUs can run nothing; set slots to 1 or more, or gpus to auto',
    );
  if (reconnectMinMs > reconnectMaxMs)
    add(
      ['timing', reconnectMaxMs === 5000 ? 'reconnectMinMs' : 'reconnectMaxMs'],
      `timing.reconnectMinMs ${reconnectMinMs} exceeds timing.reconnectMaxMs ${reconnectMaxMs}; set reconnectMaxMs to at least reconnectMinMs`,
    );
}
