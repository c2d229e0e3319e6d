/** @file `espalier engine serve` with the built-in model, as a process of its own. */
import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { cliPath } from './run-cli.js';

export interface ServedEngine {
  readonly url: string;
  readonly models: readonly string[];
  readonly process: ChildProcess;
}

/**
 * Starts a server and waits until it says where.
 *
 * @param folder of what it saves
 * @param port   default: a free one
 * @param key    what clients must send; default: they need none
 */
export async function serveEngine(
  folder: string,
  { port = 0, key }: { readonly port?: number; readonly key?: string } = {},
): Promise<ServedEngine> {
  const words = ['engine', 'serve', 'seedling', '--port', String(port), '--data', folder, '--json'];
  const server = spawn(process.execPath, [cliPath, ...words], {
    env: { ...process.env, OMP_NUM_THREADS: '1', ...(key !== undefined && { ESPALIER_ENGINE_KEY: key }) },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  for await (const line of createInterface({ input: server.stdout }))
    return { ...(JSON.parse(line) as Omit<ServedEngine, 'process'>), process: server };
  throw new Error(`engine serve ended with ${server.exitCode} before it listened`);
}
