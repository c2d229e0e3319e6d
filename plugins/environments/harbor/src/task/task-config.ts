/**
 * @file `task.toml` as Harbor 0.26 reads it (`models/task/config.py`, schema 1.4). Only what decides how a task runs here is typed; as there,
 * other keys are passed over.
 */
import { parse, TomlError } from 'smol-toml';
import { z } from 'zod';

const seconds = z.number().positive();
const variables = z.record(z.string(), z.string()).default({});
const user = z.union([z.string(), z.number()]).optional();
const network = { network_mode: z.enum(['no-network', 'public', 'allowlist']).optional() };

const environment = z.looseObject({
  docker_image: z.string().optional(),
  os: z.preprocess(
    (given) => (typeof given === 'string' ? given.toLowerCase() : given),
    z.enum(['linux', 'windows']).default('linux'),
  ),
  memory_mb: z.number().positive().optional(),
  storage_mb: z.number().positive().optional(),
  gpus: z.number().int().min(0).optional(),
  tpu: z.unknown().optional(),
  mcp_servers: z.array(z.unknown()).default([]),
  env: variables,
  healthcheck: z.unknown().optional(),
  workdir: z.string().optional(),
  ...network,
});

const config = z.looseObject({
  task: z.looseObject({ name: z.string() }).optional(),
  agent: z.looseObject({ timeout_sec: seconds.optional(), user, ...network }).prefault({}),
  verifier: z
    .looseObject({
      timeout_sec: seconds.default(600),
      env: variables,
      user,
      environment_mode: z.enum(['shared', 'separate']).optional(),
      environment: z.unknown().optional(),
      collect: z.array(z.unknown()).default([]),
      ...network,
    })
    .prefault({}),
  environment: environment.prefault({}),
  solution: z.looseObject({ env: variables }).prefault({}),
  steps: z.array(z.unknown()).optional(),
});

export type TaskConfig = z.infer<typeof config>;

/** Old names of sizes, such as `memory = "2G"`. */
const oldSizes = [
  ['memory', 'memory_mb'],
  ['storage', 'storage_mb'],
] as const;

/** Reads a configuration. @returns what is wrong with it, as text */
export function parseTaskConfig(text: string): TaskConfig | string {
  let read: Record<string, unknown>;
  try {
    read = parse(text);
  } catch (error) {
    if (error instanceof TomlError) return `line ${error.line}: ${error.message.split('\n')[0]}`;
    throw error;
  }
  const { environment: sized } = read;
  if (typeof sized === 'object' && sized !== null)
    for (const [old, current] of oldSizes) {
      const size = (sized as Record<string, unknown>)[old];
      if (typeof size !== 'string') continue;
      const megabytes = megabytesOf(size);
      if (megabytes === undefined)
        return `environment.${old}: ${JSON.stringify(size)} is no size such as "2G"`;
      Object.assign(sized, { [current]: megabytes });
    }
  const parsed = config.safeParse(read);
  if (parsed.success) return parsed.data;
  const { path, message } = parsed.error.issues[0]!;
  return `${path.join('.')}: ${message}`;
}

function megabytesOf(size: string): number | undefined {
  const match = /^(\d+(?:\.\d+)?)([GMK])$/.exec(size.trim().toUpperCase());
  if (match === null) return undefined;
  const factor = { G: 1024, M: 1, K: 1 / 1024 }[match[2] as 'G' | 'M' | 'K'];
  return Number(match[1]) * factor;
}

/** Fills in `${NAME}` and `${NAME:-default}`. @returns names of variables that this machine lacks, if any */
export function resolveVariables(
  given: Readonly<Record<string, string>>,
  machine: Readonly<Record<string, string | undefined>>,
): { readonly values: Readonly<Record<string, string>>; readonly missing: readonly string[] } {
  const missing: string[] = [];
  const values: Record<string, string> = {};
  for (const [name, text] of Object.entries(given)) {
    const match = /^\$\{([^}:]+)(?::-(.*))?\}$/.exec(text);
    const value = match === null ? text : (machine[match[1]!] ?? match[2]);
    if (value === undefined) missing.push(match![1]!);
    else values[name] = value;
  }
  return { values, missing };
}
