/** @file A private PostgreSQL server: new cluster in a temporary folder, loopback port, trust authentication, fsync on. */
import { execFile, execFileSync } from 'node:child_process';
import { chownSync, existsSync, mkdtempSync, renameSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { removeFolder } from './folders.js';
import { findProgram, freePort, ServiceProcess, serviceUser } from './service-process.js';

export interface PostgresService {
  /** connection string of the database `postgres`, as superuser */
  readonly url: string;
  /** Stops the server and keeps its files; SIGINT shuts down in order, SIGQUIT without a checkpoint. */
  down(signal?: 'SIGINT' | 'SIGQUIT'): Promise<void>;
  /** Starts the server again on the same files and port. */
  up(): Promise<void>;
  /** Stops the server and deletes its folder. */
  stop(): Promise<void>;
}

/**
 * Variable that names a folder in which an empty cluster is kept for the next start in any process: a copy of one is
 * made several times as fast as a new one.
 */
export const emptyClusterVariable = 'ESPALIER_TEST_EMPTY_CLUSTER';

/** Starts a PostgreSQL server with an empty cluster; takes about a second. */
export async function startPostgres(): Promise<PostgresService> {
  const [postgres, initdb, isReady] = ['postgres', 'initdb', 'pg_isready'].map(findProgram);
  if (postgres === undefined || initdb === undefined || isReady === undefined)
    throw new Error('PostgreSQL is not installed');
  const folder = mkdtempSync(join(tmpdir(), 'espalier-postgres-'));
  const user = serviceUser();
  if (user !== undefined) chownSync(folder, user.uid, user.gid);
  const cluster = join(folder, 'cluster');
  createCluster(initdb, folder, user);
  const port = await freePort();
  const args = [
    '-D',
    cluster,
    '-p',
    String(port),
    '-k',
    folder,
    '-c',
    'listen_addresses=127.0.0.1',
    '-c',
    'max_connections=400',
  ];
  const probe = () =>
    new Promise<boolean>((resolve) => {
      execFile(isReady, ['-h', '127.0.0.1', '-p', String(port), '-q'], (error) => resolve(error === null));
    });
  let running: ServiceProcess | undefined;
  const up = async () => {
    running = new ServiceProcess(postgres, args, join(folder, 'log'), user);
    await running.ready(probe);
  };
  const down = async (signal: 'SIGINT' | 'SIGQUIT' = 'SIGINT') => {
    await running?.end(signal);
    running = undefined;
  };
  await up();
  return {
    url: `postgres://espalier@127.0.0.1:${port}/postgres`,
    up,
    down,
    stop: async () => {
      await down('SIGQUIT');
      removeFolder(folder);
    },
  };
}

/** Makes the cluster of a folder, from the one that is kept where there is one. */
function createCluster(initdb: string, folder: string, user: ReturnType<typeof serviceUser>): void {
  const run = (program: string, words: readonly string[]): void => {
    const env = { PATH: process.env['PATH'], LC_ALL: 'C' };
    execFileSync(program, words, { stdio: 'pipe', cwd: folder, env, ...user });
  };
  const cluster = join(folder, 'cluster');
  const keptIn = process.env[emptyClusterVariable];
  const kept = join(keptIn ?? folder, 'empty-cluster');
  if (keptIn === undefined || !existsSync(kept)) {
    run(initdb, ['-D', cluster, '-A', 'trust', '-U', 'espalier', '-E', 'UTF8', '--locale=C', '--no-sync']);
    if (keptIn !== undefined) keep(cluster, kept, run);
  } else run('cp', ['-a', kept, cluster]);
}

/** Keeps a copy, which another process sees only when it is whole; the first of two that do so at once stays. */
function keep(cluster: string, kept: string, run: (program: string, words: readonly string[]) => void): void {
  const copy = `${cluster}-copy`;
  run('cp', ['-a', cluster, copy]);
  try {
    renameSync(copy, kept);
  } catch (error) {
    if (!existsSync(kept)) throw error;
  }
}
