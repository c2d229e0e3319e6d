/** @file The worker of `espalier up`: a process of its own, with a key made for this start and revoked at its end. */
import { spawn } from 'node:child_process';
import { hostname } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { AppError } from '@espalier/contracts';
import type { Console } from '../console.js';
import type { OpenedServer } from './open-server.js';
import type { StopRequest } from './stop-request.js';

/** How long the worker may take to save what is training, ms. */
const patienceMs = 120_000;

export interface LocalWorker {
  /** Lets it save what is training, and stops it. */
  close(): Promise<void>;
}

export interface WorkerPlace {
  /** jobs at once on processors */
  readonly slots: string;
  /** an open file for what it says; default: standard error */
  readonly log?: { readonly path: string; readonly file: number };
}

/**
 * Starts the worker and waits until it is connected.
 *
 * @param request where a second request to stop ends the worker, too; what trains has been asked to save by then
 * @throws cli.worker_failed when it ends before it is connected
 */
export async function startLocalWorker(
  { server, options }: OpenedServer,
  { slots, log }: WorkerPlace,
  console: Console,
  request: StopRequest,
): Promise<LocalWorker> {
  const name = `${hostname()}-local`;
  const { KeyService } = await import('@espalier/server');
  const keys = server.app.get(KeyService);
  const { secret, key } = await keys.create({
    name: `worker of up, ${name}`,
    role: 'worker',
    projects: ['*'],
  });
  const entry = fileURLToPath(new URL('../main.js', import.meta.url));
  const words = [
    'worker',
    '--json',
    '--on-stop',
    'pause',
    '--server',
    server.url,
    '--name',
    name,
    '--slots',
    slots,
  ];
  const child = spawn(process.execPath, [entry, ...words, '--data', join(resolve(options.data), 'worker')], {
    stdio: ['ignore', 'pipe', log?.file ?? 'inherit'],
    // a signal to the terminal's group must not reach it twice
    detached: true,
    env: { ...process.env, ESPALIER__WORKER__KEY: secret },
  });
  request.beforeExit(() => child.kill('SIGKILL'));
  const ended = new Promise<number | null>((done) => child.once('exit', (code) => done(code)));
  await Promise.race([
    new Promise<void>((ready) => child.stdout?.once('data', () => ready())),
    ended.then((code) => {
      throw new AppError(
        'cli.worker_failed',
        `start the worker: it ended with code ${code}; its message stands ${log === undefined ? 'above' : `in ${log.path}`}`,
      );
    }),
  ]);
  void ended.then((code) => {
    if (code !== 0 && code !== null)
      console.note(`the worker ended with code ${code}; jobs wait until one is started`);
  });
  return {
    async close() {
      child.kill('SIGTERM');
      const timer = setTimeout(() => child.kill('SIGKILL'), patienceMs);
      await ended;
      clearTimeout(timer);
      await keys.revoke(key.id);
    },
  };
}
