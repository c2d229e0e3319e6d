/**
 * @file What TypeORM's driver for SQLite lacks: a COMMIT that does not block, a BEGIN that waits for another process
 * without blocking, and the end of a transaction that SQLite aborted.
 *
 * COMMIT waits for the disk (its fsync, and now and then a checkpoint of the WAL); the driver is synchronous, so no
 * request would be served meanwhile. It runs on another thread, and other statements on the one connection wait for it.
 *
 * BEGIN takes the write lock by `exec`: where another process holds that lock, libsql leaves the refused prepared
 * statement in progress, after which no COMMIT would succeed. SQLite would wait for the lock on this thread, so BEGIN is
 * retried instead.
 */
import { setTimeout } from 'node:timers/promises';
import type { DataSource, QueryRunner } from 'typeorm';

/** The parts of TypeORM's driver for SQLite that are used here. */
interface SqliteDriver {
  queryRunner?: QueryRunner | undefined;
  readonly databaseConnection: { readonly inTransaction: boolean; exec(sql: string): unknown };
  createQueryRunner(mode: 'master' | 'slave'): QueryRunner;
}

const shortestMs = 5;
const longestMs = 100;

/** Begins a transaction for writing. @throws the error of SQLite when another process keeps the lock */
async function beginWriting(database: SqliteDriver['databaseConnection'], lockMs: number): Promise<void> {
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
      database.exec(`PRAGMA busy_timeout = ${Math.round(lockMs)}`);
    }
    await setTimeout(delay);
  }
}

/**
 * Runs every COMMIT of a SQLite source on another thread. Call once, after it was initialised.
 *
 * @param lockMs how long BEGIN waits for another process, as any other statement does
 */
export async function commitOffThread(source: DataSource, lockMs: number): Promise<void> {
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
      if (given[0] === 'BEGIN TRANSACTION')
        return beginWriting(driver.databaseConnection, lockMs) as Promise<never>;
      return query(...given) as Promise<never>;
    };
    return runner;
  };
}

function sqliteOf(source: DataSource): SqliteDriver | undefined {
  if (source.options.type !== 'better-sqlite3' || !source.isInitialized) return undefined;
  return source.driver as unknown as SqliteDriver;
}

/**
 * Tells whether SQLite has aborted the transaction that TypeORM believes to be open, as it does when its disk is full or
 * fails. PostgreSQL aborts none by itself.
 */
export function isTransactionAborted(source: DataSource): boolean {
  return sqliteOf(source)?.databaseConnection.inTransaction === false;
}

/**
 * After a failed transaction: leaves none open, neither in the file nor in TypeORM's count. Otherwise later ones would
 * be savepoints inside it that nothing commits, and their writes would be lost with the process.
 */
export function resetTransaction(source: DataSource): void {
  const driver = sqliteOf(source);
  if (driver === undefined) return;
  if (driver.databaseConnection.inTransaction) driver.databaseConnection.exec('ROLLBACK');
  if (driver.queryRunner?.isTransactionActive === true) driver.queryRunner = undefined;
}
