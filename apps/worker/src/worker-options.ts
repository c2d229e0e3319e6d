/** @file Settings of a worker: `config/worker.yaml`, with `ESPALIER__WORKER__…` of the environment on top. */
import { hostname } from 'node:os';
import { resolveDeployment } from '@espalier/config';
import { passEnvironment } from '@espalier/protocol';
import { z } from 'zod';

const inMs = { unit: 'ms' };

const tempo = z.strictObject({
  pollMs: z.int().min(10).default(150).meta(inMs).describe('between two looks at an attempt’s files'),
  sampleMs: z.int().min(100).default(1000).meta(inMs).describe('between two readings of the GPUs'),
  ackTimeoutMs: z
    .int()
    .min(100)
    .default(15_000)
    .meta(inMs)
    .describe('longest wait for an answer of the server'),
  reconnectMinMs: z.int().min(10).default(500).meta(inMs).describe('first wait before connecting again'),
  reconnectMaxMs: z
    .int()
    .min(10)
    .default(5000)
    .meta(inMs)
    .describe('longest wait before connecting again; never more than a third of the server’s lease'),
  graceMs: z.int().min(0).default(60_000).meta(inMs).describe('from the request to end to the kill'),
  transferRetryMs: z
    .int()
    .min(10)
    .default(1000)
    .meta(inMs)
    .describe('first wait before a transfer is tried again'),
  transferTries: z.int().min(1).default(8).describe('tries of a transfer while the server is there'),
});

const settings = z.strictObject({
  server: z
    .url({ protocol: /^https?$/ })
    .default('http://127.0.0.1:4500')
    .describe('address of the server'),
  key: z.string().min(1).describe('API key of the role worker'),
  name: z.string().min(1).max(100).default(hostname()).describe('unique among the workers of a server'),
  data: z.string().min(1).default('worker').describe('folder of attempts and runs; belongs to one worker'),
  modelRoots: z
    .array(z.string().min(1))
    .default([])
    .describe(
      'absolute folders whose models runs may name by path; without one, runs use model plugins and their own checkpoints; the server has its own list',
    ),
  slots: z
    .int()
    .min(0)
    .max(256)
    .optional()
    .describe('CPU jobs at once; cores and memory are divided by it; default: 1, or 0 where there are GPUs'),
  gpus: z.enum(['auto', 'off']).default('auto').describe('auto: those that nvidia-smi reports'),
  labels: z.array(z.string().min(1).max(64)).max(16).default([]).describe('what jobs may ask for'),
  cli: z.string().optional().describe('entry script of the command line; default: that of this installation'),
  passEnvironment,
  keepRunsDays: z.number().min(0).default(7).describe('run folders without work are deleted after so long'),
  logMb: z
    .int()
    .min(1)
    .default(256)
    .meta({ unit: 'MiB' })
    .describe('what a training may print; further lines are dropped with a warning, and it goes on'),
  minFreeMb: z
    .int()
    .min(0)
    .default(1024)
    .meta({ unit: 'MiB' })
    .describe('free disk below which jobs are refused'),
  tempo: tempo.prefault({}).describe('how often and how long'),
});
/** The settings; those that contradict each other are refused. */
export const workerOptions = settings.superRefine(findContradictions);
export type WorkerOptions = z.output<typeof settings>;
export type WorkerOptionsInput = z.input<typeof settings>;

/** What a command line knows beyond files and variables. */
export interface WorkerSettingsOrigin {
  /** names of its options, by the variables they take the place of */
  readonly called?: Readonly<Record<string, string>>;
  /** finds the key to a server where none was given; may throw to say why there is none */
  readonly keyTo?: (server: string) => string;
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
  return { ...options, key: key ?? keyTo(options.server) };
}

/** Finds settings that contradict each other; each issue stands at the one to change. */
function findContradictions(
  options: Pick<z.output<typeof settings>, 'slots' | 'gpus' | 'tempo'>,
  { addIssue }: Pick<z.RefinementCtx, 'addIssue'>,
): void {
  const add = (path: string[], message: string): void =>
    addIssue({ code: 'custom', path, message, input: options });
  const { slots, gpus, tempo: pace } = options;
  const { reconnectMinMs, reconnectMaxMs } = pace;
  if (slots === 0 && gpus === 'off')
    add(['slots'], 'with gpus off this worker could run nothing; set slots to 1 or more, or gpus to auto');
  if (reconnectMinMs > reconnectMaxMs)
    add(
      ['tempo', reconnectMaxMs === 5000 ? 'reconnectMinMs' : 'reconnectMaxMs'],
      `with tempo.reconnectMinMs ${reconnectMinMs} and tempo.reconnectMaxMs ${reconnectMaxMs} the first wait would be longer than the longest; make reconnectMaxMs at least reconnectMinMs`,
    );
}
