/**
 * @file SQLite aborts a transaction by itself when its disk is full or fails. TypeORM's only query runner still counts
 * that transaction as open, so later ones would become savepoints inside it that nothing commits, and their writes
 * would be lost with the process.
 */
import type { DataSource, QueryRunner } from 'typeorm';

/** What TypeORM's driver for SQLite has of both. */
interface SqliteDriver {
  queryRunner?: QueryRunner | undefined;
  readonly databaseConnection: { readonly inTransaction: boolean; exec(sql: string): unknown };
}

function sqliteOf(source: DataSource): SqliteDriver | undefined {
  if (source.options.type !== 'better-sqlite3' || !source.isInitialized) return undefined;
  return source.driver as unknown as SqliteDriver;
}

/** Whether the transaction that TypeORM believes to be in is over; PostgreSQL never ends one by itself. */
export function isTransactionAborted(source: DataSource): boolean {
  return sqliteOf(source)?.databaseConnection.inTransaction === false;
}

/** After a transaction has failed: leaves none open, neither in the file nor in TypeORM's count. */
export function resetTransaction(source: DataSource): void {
  const driver = sqliteOf(source);
  if (driver === undefined) return;
  if (driver.databaseConnection.inTransaction) driver.databaseConnection.exec('ROLLBACK');
  if (driver.queryRunner?.isTransactionActive === true) driver.queryRunner = undefined;
}
