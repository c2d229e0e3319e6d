/** @file The run that `espalier up --run` starts: made by a mutation, followed over the socket, reported. */
import { createClient } from '@espalier/client';
import type { Console } from '../console.js';
import type { OpenedServer } from './open-server.js';
import { namingFile, readConfig } from './read-config.js';
import { watchRun } from './watch-run.js';

export interface RunAtStart {
  readonly config: string;
  readonly set: readonly string[];
  readonly json: boolean;
  /** called with its id before it is watched */
  onRun?(id: string): void;
}

/**
 * Creates a run and shows it live until it has stopped.
 *
 * @param signal ends the watching
 * @returns the exit code that fits how the run stands then, and its id
 */
export async function runAtStart(
  { server, adminKey }: OpenedServer,
  { config, set, json, onRun }: RunAtStart,
  console: Console,
  signal: AbortSignal,
): Promise<{ readonly exitCode: number; readonly runId: string }> {
  const { source, overrides } = readConfig(config, set);
  const own = adminKey === undefined ? await makeKey(server) : undefined;
  const client = createClient({ url: server.url, key: adminKey ?? own?.secret ?? '' });
  try {
    const { id } = await namingFile(config, () => client.runs.create({ source, overrides: [...overrides] }));
    onRun?.(id);
    return { exitCode: await watchRun(client, id, { json, signal }, console), runId: id };
  } finally {
    await client.dispose();
    await own?.revoke();
  }
}

/** Where the first key was given by settings, or its file is gone, the run gets a key of its own, which ends with it. */
async function makeKey(
  server: OpenedServer['server'],
): Promise<{ secret: string; revoke: () => Promise<unknown> }> {
  const { KeyService } = await import('@espalier/server');
  const keys = server.app.get(KeyService);
  const request = { name: 'run of up', role: 'operator', projects: ['*'] } as const;
  const { key, secret } = await keys.create(request);
  return { secret, revoke: () => keys.revoke(key.id) };
}
