/** @file PostgreSQL from the system's packages, with an empty cluster in a temporary folder; fsync on. */
import { execFileSync, spawn } from 'node:child_process';
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { AppError } from '@espalier/contracts';

export interface ScratchPostgres {
  readonly url: string;
  stop(): Promise<void>;
}

/** Starts it; as root it runs as the user `postgres`. */
export async function startScratchPostgres(): Promise<ScratchPostgres> {
  const programs = findPrograms();
  const folder = mkdtempSync(join(tmpdir(), 'espalier-bench-postgres-'));
  const user = process.getuid?.() === 0 ? { uid: idOf('-u'), gid: idOf('-g') } : {};
  if (user.uid !== undefined && user.gid !== undefined) chownSync(folder, user.uid, user.gid);
  const cluster = join(folder, 'cluster');
  const env = { PATH: process.env['PATH'], LC_ALL: 'C' };
  const set = { cwd: folder, env, ...user };
  const encoding = ['-E', 'UTF8', '--locale=C', '--no-sync'];
  execFileSync(join(programs, 'initdb'), ['-D', cluster, '-A', 'trust', '-U', 'bench', ...encoding], {
    ...set,
    stdio: 'pipe',
  });
  const port = await freePort();
  const args = ['-D', cluster, '-p', String(port), '-k', folder, '-c', 'listen_addresses=127.0.0.1'];
  const child = spawn(join(programs, 'postgres'), args, { ...set, stdio: 'ignore' });
  for (let tries = 0; !isReady(programs, port); tries += 1) {
    if (tries > 200) throw new AppError('bench.item_failed', 'start PostgreSQL: not ready after 20 s');
    await setTimeout(100);
  }
  return {
    url: `postgres://bench@127.0.0.1:${port}/postgres`,
    async stop() {
      const ended = new Promise((resolve) => child.once('exit', resolve));
      child.kill('SIGQUIT');
      await ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function findPrograms(): string {
  const root = '/usr/lib/postgresql';
  const versions = existsSync(root) ? readdirSync(root).sort((a, b) => Number(b) - Number(a)) : [];
  const found = versions
    .map((version) => join(root, version, 'bin'))
    .find((path) => existsSync(join(path, 'initdb')));
  if (found !== undefined) return found;
  throw new AppError(
    'bench.item_failed',
    'start PostgreSQL: it is not installed; install the package postgresql',
  );
}

function idOf(flag: '-u' | '-g'): number {
  return Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }));
}

function isReady(programs: string, port: number): boolean {
  try {
    execFileSync(join(programs, 'pg_isready'), ['-h', '127.0.0.1', '-p', String(port), '-q'], {
      stdio: 'ignore',
    });
    return true;
  } catch {
    return false;
  }
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === 'string')
    throw new AppError('bench.item_failed', 'find a port: none');
  return address.port;
}
