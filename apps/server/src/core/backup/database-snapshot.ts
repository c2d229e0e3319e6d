/**
 * @file The database of a backup, taken in one transaction while the server continues to write: of SQLite by VACUUM INTO over
 * a connection of its own (its file alone is not enough, most of it may be in the write-ahead log), of PostgreSQL by pg_dump.
 */
import { execFile, type ExecFileException } from 'node:child_process';
import { existsSync } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { AppError } from '@espalier/contracts';
import type { DatabaseOptions } from '../../config/storage-options.js';
import { syncFolder } from '../artifacts/store/directory-artifact-store.js';
import { databaseFiles, writePrivate } from './backup-folder.js';

export interface DatabaseSnapshot {
  readonly createdAt: string;
  readonly counts: { readonly runs: number; readonly jobs: number };
  /** content that the artifacts of the snapshot have */
  readonly contents: readonly { readonly key: string; readonly sha256: string; readonly bytes: number }[];
}

type Query = (sql: string) => Promise<readonly Record<string, unknown>[]>;

/**
 * Writes a snapshot of the database into a folder, over the one before.
 *
 * @param file where SQLite has its database
 * @throws backup.not_found, backup.no_program, backup.failed
 */
export async function takeSnapshot(
  options: DatabaseOptions,
  file: string,
  folder: string,
  signal?: AbortSignal,
): Promise<DatabaseSnapshot> {
  const createdAt = new Date().toISOString();
  const target = join(folder, databaseFiles[options.kind]);
  const part = `${target}.part`;
  await rm(part, { force: true });
  const found =
    options.kind === 'sqlite' ? await copySqlite(file, part) : await dumpPostgres(options.url, part, signal);
  await syncFolder(part);
  await rename(part, target);
  return { createdAt, ...found };
}

async function describeContents(query: Query): Promise<Omit<DatabaseSnapshot, 'createdAt'>> {
  const countOf = async (table: string): Promise<number> =>
    Number((await query(`SELECT COUNT(*) AS count FROM ${table}`))[0]?.['count']);
  const rows = await query('SELECT DISTINCT key, sha256, bytes FROM artifact');
  return {
    counts: { runs: await countOf('run'), jobs: await countOf('job') },
    contents: rows.map(({ key, sha256, bytes }) => ({
      key: String(key),
      sha256: String(sha256),
      bytes: Number(bytes),
    })),
  };
}

async function copySqlite(file: string, part: string): Promise<Omit<DatabaseSnapshot, 'createdAt'>> {
  if (file === ':memory:' || !existsSync(file))
    throw new AppError(
      'backup.not_found',
      `back up the database "${file}": there is none; name the data folder of a server (--data) and its settings (--config)`,
    );
  // created here, because SQLite would make it readable for all users
  await writePrivate(part, '');
  const { default: AsyncDatabase } = await import('libsql/promise');
  const source = new AsyncDatabase(file, { readonly: true });
  try {
    await source.exec('PRAGMA busy_timeout = 10000');
    await source.exec(`VACUUM INTO '${part.replaceAll("'", "''")}'`);
  } catch (cause) {
    throw new AppError(
      'backup.failed',
      `back up the database "${file}": ${(cause as Error).message}; check the disk and the log of the server`,
      { cause },
    );
  } finally {
    source.close();
  }
  const { default: Database } = await import('libsql');
  const copy = new Database(part, { readonly: true });
  try {
    return await describeContents((sql) =>
      Promise.resolve(copy.prepare(sql).all() as Record<string, unknown>[]),
    );
  } finally {
    copy.close();
  }
}

/** Arguments in addition to the database and the file. */
const programArguments = {
  pg_dump: ['--format=custom', '--no-owner', '--no-privileges'],
  pg_restore: ['--no-owner', '--no-privileges', '--single-transaction', '--exit-on-error'],
} as const;
type Program = keyof typeof programArguments;

/** Dumps what a transaction sees, so that the list of artifacts is that of the dump. */
async function dumpPostgres(
  url: string,
  part: string,
  signal?: AbortSignal,
): Promise<Omit<DatabaseSnapshot, 'createdAt'>> {
  return withPostgres(url, 'back up', async (query) => {
    await query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
    const [exported] = await query('SELECT pg_export_snapshot() AS name');
    await writePrivate(part, '');
    const snapshot = `--snapshot=${String(exported?.['name'])}`;
    await runProgram('pg_dump', url, [...programArguments.pg_dump, snapshot, `--file=${part}`], signal);
    return describeContents(query);
  });
}

/** Rejects a PostgreSQL database that has tables. @throws backup.target_not_empty, backup.failed */
export async function assertEmptyPostgres(url: string): Promise<void> {
  const [found] = await withPostgres(url, 'restore', (query) =>
    query(
      `SELECT schemaname || '.' || tablename AS name FROM pg_tables WHERE schemaname NOT IN ('pg_catalog', 'information_schema') LIMIT 1`,
    ),
  );
  if (found === undefined) return;
  throw new AppError(
    'backup.target_not_empty',
    `restore: the database "${withoutPassword(url).shown}" is not empty, it has the table ${String(found['name'])}; name a new database (setting database.url), as CREATE DATABASE makes it`,
  );
}

/** Restores a dump in one transaction. @throws backup.no_program, backup.failed */
export async function restorePostgres(url: string, dump: string, signal?: AbortSignal): Promise<void> {
  await runProgram('pg_restore', url, [...programArguments.pg_restore, dump], signal);
}

/** Rejects a missing program before anything is written. @throws backup.no_program */
export async function assertProgram(name: Program, url: string): Promise<void> {
  // pg_dump accepts it as the first argument only
  await runProgram(name, url, ['--version']);
}

async function withPostgres<T>(
  url: string,
  operation: string,
  work: (query: Query) => Promise<T>,
): Promise<T> {
  const { default: pg } = await import('pg');
  const client = new pg.Client({ connectionString: url, application_name: `espalier ${operation}` });
  // reported by the query that fails
  client.on('error', () => undefined);
  try {
    await client.connect();
    return await work(async (sql) => (await client.query<Record<string, unknown>>(sql)).rows);
  } catch (cause) {
    if (cause instanceof AppError) throw cause;
    throw new AppError(
      'backup.failed',
      `${operation}: PostgreSQL at "${withoutPassword(url).shown}": ${(cause as Error).message}; check the setting database.url`,
      { cause },
    );
  } finally {
    await client.end().catch(() => undefined);
  }
}

/** A password in an argument could be read by every user of the machine. */
function withoutPassword(url: string): { readonly shown: string; readonly env: Record<string, string> } {
  const parsed = new URL(url);
  const { password } = parsed;
  parsed.password = '';
  return {
    shown: parsed.href,
    env: password === '' ? {} : { PGPASSWORD: decodeURIComponent(password) },
  };
}

/** Runs a program of PostgreSQL to its end. @throws backup.no_program, backup.failed */
async function runProgram(
  name: Program,
  url: string,
  given: readonly string[],
  signal?: AbortSignal,
): Promise<void> {
  const { shown, env } = withoutPassword(url);
  try {
    await promisify(execFile)(name, [...given, `--dbname=${shown}`], {
      env: { ...process.env, ...env },
      maxBuffer: Infinity,
      ...(signal && { signal }),
    });
  } catch (error) {
    const { code, signal: by, stderr } = error as ExecFileException;
    if (code === 'ENOENT') throw noProgram(name, shown);
    // aborted, or not started
    if (typeof code === 'string') throw error;
    const finding =
      (stderr ?? '')
        .slice(-2000)
        .split('\n')
        .map((line) => line.trim())
        .filter((line) => line !== '')
        .join(' ') || `it ended with ${code ?? by}`;
    const remedy = `it must be no older than PostgreSQL, and the database must be reachable`;
    throw new AppError('backup.failed', `run ${name}: ${finding}; ${remedy}`);
  }
}

function noProgram(name: Program, database: string): AppError {
  const file = name === 'pg_dump' ? '--file=database.dump' : 'database.dump';
  const command = [name, `--dbname='${database}'`, ...programArguments[name], file].join(' ');
  return new AppError(
    'backup.no_program',
    `run ${name}: it is not on the PATH; install the client programs of PostgreSQL, or where they are run: ${command}`,
  );
}
