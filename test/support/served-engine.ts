/** @file `espalier engine serve` with the built-in model, as a process of its own. */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { cliPath } from './run-cli.js';

export interface ServedEngine {
  readonly url: string;
  readonly models: readonly string[];
  stop(): void;
}

/** Starts a server on a free port and waits until it says where. @param key what clients must send */
export async function serveEngine(folder: string, key: string): Promise<ServedEngine> {
  const words = ['engine', 'serve', 'seedling', '--port', '0', '--data', join(folder, 'engine'), '--json'];
  const server = spawn(process.execPath, [cliPath, ...words], {
    env: { ...process.env, OMP_NUM_THREADS: '1', ESPALIER_ENGINE_KEY: key },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  for await (const line of createInterface({ input: server.stdout })) {
    const told = JSON.parse(line) as Omit<ServedEngine, 'stop'>;
    return { ...told, stop: () => server.kill('SIGTERM') };
  }
  throw new Error(`engine serve ended with ${server.exitCode} before it listened`);
}
