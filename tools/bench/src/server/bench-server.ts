/** @file A real server in its own process with its own database; PostgreSQL on request. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { AppError } from '@espalier/contracts';
import { findProgram, type PostgresService, startPostgres } from '@espalier/testing';
import { processorSeconds } from './processor-seconds.js';

export interface BenchServer {
  readonly url: string;
  readonly adminKey: string;
  readonly workerKey: string;
  /** processor time so far, s */
  processorSeconds(): number;
  /** resident memory now, MB */
  residentMb(): number;
  /** the most it has had, MB */
  peakMb(): number;
  /** what the database has on disk, its indexes included, bytes; PostgreSQL only */
  databaseBytes(): number;
  stop(): Promise<void>;
}

const main = fileURLToPath(new URL('../../../../apps/server/dist/main.js', import.meta.url));
const root = fileURLToPath(new URL('../../../..', import.meta.url));

/** Starts the built server on data of its own, which go when it stops. */
export async function startBenchServer(database: 'sqlite' | 'postgres' = 'sqlite'): Promise<BenchServer> {
  const folder = mkdtempSync(join(tmpdir(), 'espalier-bench-server-'));
  const postgres = database === 'postgres' ? await requirePostgres() : undefined;
  const server = await startServerIn({ folder, postgres });
  return {
    ...server,
    async stop() {
      await server.stop('SIGKILL');
      await postgres?.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Where a server has its data. */
export interface ServerPlace {
  readonly folder: string;
  /** undefined: SQLite in the folder */
  readonly postgres: PostgresService | undefined;
  /** more settings, by the ends of their variables */
  readonly settings?: Readonly<Record<string, string>>;
}

/** Starts the built server on data that stay when it stops. */
export async function startServerIn({
  folder,
  postgres,
  settings: more,
}: ServerPlace): Promise<Omit<BenchServer, 'stop'> & { stop(signal: 'SIGTERM' | 'SIGKILL'): Promise<void> }> {
  const [adminKey, workerKey] = ['admin', 'worker'].map((name) => `esp_${name}`.padEnd(48, 'x')) as [
    string,
    string,
  ];
  const settings = {
    PORT: '0',
    DATA: folder,
    ROOT: root,
    LOGLEVEL: 'warn',
    ACCESS__ADMINKEY: adminKey,
    ACCESS__WORKERKEY: workerKey,
    ...(postgres === undefined ? {} : { DATABASE__KIND: 'postgres', DATABASE__URL: postgres.url }),
    ...more,
  };
  const env = Object.entries(settings).map(([name, value]) => [`ESPALIER__SERVER__${name}`, value]);
  const child = spawn(process.execPath, [main], {
    cwd: folder,
    env: { ...process.env, ...Object.fromEntries(env) },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  // an item that throws must not leave its server behind
  process.once('exit', () => void child.kill('SIGKILL'));
  return {
    url: await readUrl(child),
    adminKey,
    workerKey,
    processorSeconds: () => processorSeconds(child.pid).own,
    residentMb: () => memoryMb(child.pid, 'VmRSS'),
    databaseBytes: () => bytesOf(postgres),
    peakMb: () => memoryMb(child.pid, 'VmHWM'),
    async stop(signal) {
      if (child.exitCode !== null) return;
      const ended = new Promise((resolve) => child.once('exit', resolve));
      child.kill(signal);
      await ended;
    },
  };
}

function bytesOf(postgres: PostgresService | undefined): number {
  const psql = findProgram('psql');
  if (postgres === undefined || psql === undefined) return Number.NaN;
  const query = 'select pg_database_size(current_database())';
  return Number(execFileSync(psql, ['-X', '-A', '-t', '-c', query, postgres.url], { encoding: 'utf8' }));
}

function memoryMb(pid: number | undefined, field: 'VmRSS' | 'VmHWM'): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  // built from -- one of two field names, written above
  return Number(new RegExp(`${field}:\\s+(\\d+)`).exec(status)?.[1] ?? Number.NaN) / 1024;
}

async function readUrl(child: ChildProcess): Promise<string> {
  if (child.stdout === null) throw new AppError('bench.item_failed', 'start the server: it has no output');
  const lines = createInterface({ input: child.stdout });
  for await (const line of lines) {
    const url = /https?:\/\/[\d.a-z]+:\d+/.exec(line)?.[0];
    if (url === undefined) continue;
    child.stdout.resume();
    return url;
  }
  throw new AppError('bench.item_failed', 'start the server: it ended before it said its address');
}

async function requirePostgres(): Promise<PostgresService> {
  if (findProgram('initdb') !== undefined) return startPostgres();
  throw new AppError(
    'bench.item_failed',
    'start PostgreSQL: it is not installed; install the package postgresql',
  );
}
