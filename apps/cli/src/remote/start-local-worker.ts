/** @file The worker of `espalier up`: a process of its own, with a key made for this start and revoked at its end. */
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { hostname } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { loadConfig } from '@espalier/config/plain';
import { AppError } from '@espalier/contracts';
import type { Console } from '../console.js';
import { endOldWorker } from './end-old-worker.js';
import { loopback, type OpenedServer } from './open-server.js';
import type { StopRequest } from './stop-request.js';
import { readReadyLine } from './worker-ready.js';
import { calledAs } from '../parse-arguments.js';

/** How long the worker may take to save what is training, ms. */
const patienceMs = 120_000;
/** A worker that ends so often within a minute is not started again. */
const maxRestarts = 5;
const minuteMs = 60_000;

export interface LocalWorker {
  /** Lets it save what is training, and stops it. */
  close(): Promise<void>;
}

export interface WorkerPlace {
  /** jobs at once on processors */
  readonly slots: string;
  /** an open file for its output; default: standard error */
  readonly log?: { readonly path: string; readonly file: number };
}

const ownersVariable = 'ESPALIER__WORKER__HUBOWNERS';

/**
 * Variables on top of those of this process. Only people on this machine reach the server, so its worker downloads what
 * they like, unless a file of settings or a variable sets a list.
 *
 * @param file settings of the worker, which may be missing
 */
export function ownersForMe(
  file = 'config/worker.yaml',
  env: Readonly<Record<string, string | undefined>> = process.env,
): Readonly<Record<string, string>> {
  const isSet = Object.entries(env).some(([name, text]) => name.toUpperCase() === ownersVariable && text);
  const isWritten = existsSync(file) && Object.hasOwn(loadConfig(file).value, 'hubOwners');
  return isSet || isWritten ? {} : { [ownersVariable]: '["*"]' };
}

/**
 * Starts the worker, waits until it is connected, and starts it again if it exits unexpectedly. A worker left by
 * an earlier `up` is ended first.
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
  const folder = join(resolve(options.data), 'worker');
  await endOldWorker(folder, name, console);
  const { KeyService } = await import('@espalier/server');
  const keys = server.app.get(KeyService);
  const template = { name: `worker of up, ${name}`, role: 'worker' as const, projects: ['*'] };
  const { secret, key } = await keys.create(template);
  const entry = fileURLToPath(new URL('../main.js', import.meta.url));
  const args = ['worker', '--json', '--on-stop', 'drain', '--name', name, '--slots', slots];
  const serverArgs = ['--server', server.url, '--data', folder];
  const start = (): ChildProcess =>
    spawn(process.execPath, [entry, ...args, ...serverArgs], {
      stdio: ['ignore', 'pipe', log?.file ?? 'inherit'],
      // a signal to the terminal's group must not reach it twice
      detached: true,
      env: {
        ...process.env,
        ESPALIER__WORKER__KEY: secret,
        ESPALIER__WORKER__MODELROOTS: JSON.stringify(options.modelRoots),
        ...(loopback.has(options.host) ? ownersForMe() : {}),
      },
    });
  const keeper = createKeeper(start, console);
  request.beforeExit(() => keeper.child().kill('SIGKILL'));
  try {
    await readReadyLine(keeper.child());
  } catch (error) {
    await keeper.close();
    await keys.revoke(key.id);
    const where = log === undefined ? '' : `; see also ${log.path}`;
    throw new AppError('cli.worker_failed', `start the worker: ${(error as Error).message}${where}`);
  }
  void keeper.watch();
  return {
    async close() {
      await keeper.close();
      await keys.revoke(key.id);
    },
  };
}

/** Restarts a child that ends, until closed. @param initialDelayMs doubles with each end within a minute */
export function createKeeper(
  start: () => ChildProcess,
  console: Pick<Console, 'note'>,
  initialDelayMs = 250,
) {
  let child = start();
  let ended = endOf(child);
  let reason = '';
  const closing = new AbortController();
  const pause = (ms: number): Promise<unknown> =>
    wait(ms, undefined, { signal: closing.signal }).catch(() => undefined);
  return {
    child: () => child,
    async watch(): Promise<void> {
      const ends: number[] = [];
      for (;;) {
        const how = await ended;
        if (closing.signal.aborted) return;
        if (how === 'with code 0')
          return console.note('the worker was stopped; jobs wait until one is started');
        ends.push(performance.now());
        const recent = ends.filter((at) => at > performance.now() - minuteMs).length;
        const ending = `the worker ended ${how}${reason === '' ? '' : `: ${reason}`}`;
        if (recent >= maxRestarts)
          return console.note(
            `${ending}; it ended ${recent} times within a minute, so it is not restarted: jobs wait until \`${calledAs()} worker\` or \`up\` is started`,
          );
        console.note(`${ending}; restarting (${recent} of ${maxRestarts - 1})`);
        await pause(initialDelayMs * 2 ** recent);
        if (closing.signal.aborted) return;
        child = start();
        ended = endOf(child);
        reason = '';
        readReadyLine(child).catch((error: unknown) => (reason = (error as Error).message));
      }
    },
    async close(): Promise<void> {
      closing.abort();
      child.kill('SIGTERM');
      const timer = setTimeout(() => child.kill('SIGKILL'), patienceMs);
      await ended;
      clearTimeout(timer);
    },
  };
}

const endOf = (child: ChildProcess): Promise<string> =>
  new Promise((done) =>
    child.once('exit', (code, signal) =>
      done(signal === null ? `with code ${String(code)}` : `by ${signal}`),
    ),
  );
