/**
 * @file Lets SQLite commit on another thread. In COMMIT a transaction waits for the disk (its fsync, and now and then the
 * WAL moved into the file); the driver is synchronous, and nobody's request would be answered meanwhile. Whatever else
 * is asked of the one connection waits until it is done, without holding up the process.
 *
 * A transaction takes the lock for writing with its BEGIN, by `exec`. Where another process holds it, libsql leaves the
 * prepared statement that was refused in progress, and from there on no COMMIT would succeed.
 */
import type { DataSource, QueryRunner } from 'typeorm';

/** What TypeORM's driver for SQLite has of both. */
interface SqliteDriver {
  readonly databaseConnection: { exec(sql: string): unknown };
  createQueryRunner(mode: 'master' | 'slave'): QueryRunner;
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
      if (given[0] === 'BEGIN TRANSACTION')
        return driver.databaseConnection.exec('BEGIN IMMEDIATE') as Promise<never>;
      return query(...given) as Promise<never>;
    };
    return runner;
  };
}
