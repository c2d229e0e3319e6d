/** @file A PostgreSQL server of its own, with fsync on, that can be killed and started again on the same files. */
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { chmodSync, chownSync, existsSync, mkdirSync, openSync, readdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { freePort } from './network.js';
import { until } from './until.js';

export interface Postgres {
  readonly url: string;
  /** Ends it at once, without a checkpoint; it recovers from its log at the next start. */
  kill(): Promise<void>;
  start(): Promise<void>;
}

/** Where PostgreSQL's programs are: in Debian's folder of the newest version, else in PATH. */
function findPrograms(): string | undefined {
  const root = '/usr/lib/postgresql';
  const versions = existsSync(root) ? readdirSync(root).sort((a, b) => Number(b) - Number(a)) : [];
  const folders = [
    ...versions.map((version) => join(root, version, 'bin')),
    ...(process.env['PATH'] ?? '').split(':'),
  ];
  return folders.find((folder) => existsSync(join(folder, 'initdb')));
}

/** PostgreSQL refuses to run as root. */
function findUser(): { uid: number; gid: number } | Record<string, never> {
  if (process.getuid?.() !== 0) return {};
  const idOf = (flag: string): number => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }));
  return { uid: idOf('-u'), gid: idOf('-g') };
}

/** Lets another user through to a folder: temporary folders are closed to all but their owner. */
function letThrough(folder: string): void {
  for (let parent = dirname(folder); parent !== dirname(parent); parent = dirname(parent)) {
    const { mode } = statSync(parent);
    if ((mode & 0o001) === 0) chmodSync(parent, mode | 0o011);
  }
}

/** Makes a cluster in a folder and starts it. @returns undefined where PostgreSQL is not installed */
export async function startPostgres(folder: string): Promise<Postgres | undefined> {
  const programs = findPrograms();
  if (programs === undefined) return undefined;
  const user = findUser();
  mkdirSync(folder, { recursive: true });
  if (user.uid !== undefined) {
    chownSync(folder, user.uid, user.gid);
    letThrough(folder);
  }
  const env = { PATH: process.env['PATH'], LC_ALL: 'C' };
  const cluster = join(folder, 'cluster');
  const making = ['-D', cluster, '-A', 'trust', '-U', 'espalier', '-E', 'UTF8', '--locale=C', '--no-sync'];
  execFileSync(join(programs, 'initdb'), making, { stdio: 'pipe', cwd: folder, env, ...user });
  const port = await freePort();
  const log = openSync(join(folder, 'log'), 'a');
  const words = ['-D', cluster, '-p', String(port), '-k', folder, '-c', 'listen_addresses=127.0.0.1'];
  let child: ChildProcess | undefined;
  process.once('exit', () => child?.kill('SIGQUIT'));
  const isReady = (): boolean =>
    spawnSync(join(programs, 'pg_isready'), ['-h', '127.0.0.1', '-p', String(port), '-q']).status === 0;
  const start = async (): Promise<void> => {
    child = spawn(join(programs, 'postgres'), words, { stdio: ['ignore', log, log], env, ...user });
    await until('PostgreSQL is ready', isReady);
  };
  await start();
  return {
    url: `postgres://espalier@127.0.0.1:${port}/postgres`,
    start,
    async kill() {
      const ending = child;
      if (ending === undefined || ending.exitCode !== null || ending.signalCode !== null) return;
      const ended = new Promise((resolve) => ending.once('exit', resolve));
      ending.kill('SIGQUIT');
      await ended;
    },
  };
}
