/** @file Two `espalier serve` processes on one PostgreSQL database: one serves, the other stands by. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { freePort } from '@espalier/testing';
import { cliPath } from './run-cli.js';

export const pairKeys = { admin: 'a'.repeat(40), worker: 'w'.repeat(40) };

export interface ServerPair {
  readonly urls: readonly string[];
  /** The one that is ready; waits for it. @returns its place in `urls` */
  active(withinMs?: number): Promise<number>;
  /** Starts the process of a place, which must have ended. */
  start(place: number): void;
  signal(place: number, signal: NodeJS.Signals): void;
  /** Resolves with the exit code once the process of a place has ended. */
  ended(place: number): Promise<number | null>;
  /** Sends SIGKILL and waits. */
  kill(place: number): Promise<void>;
  stop(): Promise<void>;
}

/** Starts both. @param root folder of their data; artifacts are shared */
export async function startServerPair(root: string, postgresUrl: string): Promise<ServerPair> {
  const ports = [await freePort(), await freePort()];
  const urls = ports.map((port) => `http://127.0.0.1:${port}`);
  const processes: ChildProcess[] = [];
  const environment = {
    ESPALIER__SERVER__DATABASE__KIND: 'postgres',
    ESPALIER__SERVER__DATABASE__URL: postgresUrl,
    ESPALIER__SERVER__ARTIFACTS__STORE: JSON.stringify({
      driver: 'directory',
      folder: join(root, 'artifacts'),
    }),
    ESPALIER__SERVER__ACCESS__ADMINKEY: pairKeys.admin,
    ESPALIER__SERVER__ACCESS__WORKERKEY: pairKeys.worker,
    ESPALIER__SERVER__MODELROOTS: JSON.stringify([root]),
    ESPALIER__SERVER__MINFREEMB: '0',
    ESPALIER__SERVER__RETRYSECONDS: '0',
    ESPALIER__SERVER__LOGLEVEL: 'warn',
  };
  const start = (place: number): void => {
    const words = [
      'serve',
      '--port',
      String(ports[place]),
      '--data',
      join(root, `server-${place}`),
      '--json',
    ];
    processes[place] = spawn(process.execPath, [cliPath, ...words], {
      env: { ...process.env, ...environment },
      stdio: 'ignore',
    });
  };
  const processAt = (place: number): ChildProcess => processes[place] as ChildProcess;
  const isOver = ({ exitCode, signalCode }: ChildProcess): boolean =>
    exitCode !== null || signalCode !== null;
  const ended = async (place: number): Promise<number | null> => {
    const child = processAt(place);
    if (!isOver(child)) await once(child, 'exit');
    return child.exitCode;
  };
  const isReady = async (url: string): Promise<boolean> => {
    try {
      return (await fetch(`${url}/health/ready`, { signal: AbortSignal.timeout(2000) })).status === 200;
    } catch {
      return false;
    }
  };
  start(0);
  start(1);
  return {
    urls,
    start,
    ended,
    async active(withinMs = 60_000) {
      for (const until = performance.now() + withinMs; performance.now() < until;) {
        const ready = await Promise.all(urls.map(isReady));
        const place = ready.indexOf(true);
        if (place >= 0) return place;
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
      throw new Error(`no server is ready after ${withinMs} ms`);
    },
    signal: (place, signal) => void processAt(place).kill(signal),
    async kill(place) {
      processAt(place).kill('SIGKILL');
      await ended(place);
    },
    async stop() {
      for (const child of processes) {
        child.kill('SIGCONT');
        child.kill('SIGKILL');
      }
      await Promise.all(processes.map((_, place) => ended(place)));
    },
  };
}
