/**
 * @file Lets SQLite commit on another thread. In COMMIT a transaction waits for the disk (its fsync, and now and then the
 * WAL moved into the file); the driver is synchronous, and nobody's request would be answered meanwhile. Whatever else
 * is asked of the one connection waits until it is done, without holding up the process.
 *
 * A transaction takes the lock for writing with its BEGIN, by `exec`. Where another process holds it, libsql leaves the
 * prepared statement that was refused in progress, and from there on no COMMIT would succeed. SQLite itself would wait
 * for that lock on this thread; so it is asked again and again, and the process goes on in between.
 */
import { setTimeout } from 'node:timers/promises';
import type { DataSource, QueryRunner } from 'typeorm';

/** What TypeORM's driver for SQLite has of both. */
interface SqliteDriver {
  readonly databaseConnection: { exec(sql: string): unknown };
  createQueryRunner(mode: 'master' | 'slave'): QueryRunner;
}

/** How long another process may hold the lock for writing, as with any other statement, ms. */
export const lockMs = 10_000;
const [shortestMs, longestMs] = [5, 100];

/** Begins a transaction for writing. @throws the refusal of SQLite when the lock stays with another process */
async function beginWriting(database: SqliteDriver['databaseConnection']): Promise<void> {
  const until = performance.now() + lockMs;
  for (let delay = shortestMs; ; delay = Math.min(longestMs, 2 * delay)) {
    database.exec('PRAGMA busy_timeout = 0');
    try {
      database.exec('BEGIN IMMEDIATE');
      return;
    } catch (error) {
      const isBusy = String((error as { code?: unknown }).code).startsWith('SQLITE_BUSY');
      if (!isBusy || performance.now() > until) throw error;
    } finally {
      database.exec(`PRAGMA busy_timeout = ${lockMs}`);
    }
    await setTimeout(delay);
  }
}

/** Runs every COMMIT of a SQLite source off this thread. To be called once, when it is initialised. */
export async function commitOffThread(source: DataSource): Promise<void> {
  const driver = source.driver as unknown as SqliteDriver;
  const { default: AsyncDatabase } = await import('libsql/promise');
  // the classes of both interfaces hold the same native connection
  const execute = AsyncDatabase.prototype.exec as unknown as (this: object, sql: string) => Promise<void>;
  const known = new WeakSet<QueryRunner>();
  let committing: Promise<void> | null = null;

  const commit = async (): Promise<void> => {
    try {
      await (committing = execute.call(driver.databaseConnection, 'COMMIT'));
    } finally {
      committing = null;
    }
  };
  const settled = async (): Promise<void> => {
    while (committing !== null) await committing.catch(() => undefined);
  };
  const create = driver.createQueryRunner.bind(driver);
  driver.createQueryRunner = (mode) => {
    const runner = create(mode);
    if (known.has(runner)) return runner;
    known.add(runner);
    const query = runner.query.bind(runner) as (...given: unknown[]) => Promise<unknown>;
    runner.query = async (...given: unknown[]): Promise<never> => {
      if (committing !== null) await settled();
      if (given[0] === 'COMMIT') return commit() as Promise<never>;
      if (given[0] === 'BEGIN TRANSACTION') return beginWriting(driver.databaseConnection) as Promise<never>;
      return query(...given) as Promise<never>;
    };
    return runner;
  };
}
