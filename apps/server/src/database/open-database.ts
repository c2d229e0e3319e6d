/**
 * @file Opens the database and brings its tables up to date. The server is its only writer; SQLite is given one
 * connection, WAL, and a full fsync per commit (writes are batched, so that costs nothing).
 */
import { closeSync, existsSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { AppError } from '@espalier/contracts';
import { DataSource, type DataSourceOptions } from 'typeorm';
import type { DatabaseOptions } from './database-options.js';
import { commitOffThread, lockMs } from './sqlite-commit.js';
import { entities, migrations } from './tables.js';

/**
 * Opens the database with all migrations applied.
 *
 * @throws server.database_unusable when it cannot be opened or a migration fails
 */
export async function openDatabase(options: DatabaseOptions): Promise<DataSource> {
  const source = new DataSource(await toSourceOptions(options));
  try {
    if (options.kind === 'sqlite') createPrivate(options.file);
    await source.initialize();
    if (options.kind === 'sqlite') await commitOffThread(source);
    await source.runMigrations({ transaction: 'each' });
    return source;
  } catch (cause) {
    if (source.isInitialized) await source.destroy();
    const where = options.kind === 'sqlite' ? options.file : 'PostgreSQL';
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new AppError(
      'server.database_unusable',
      `open the database (${where}): ${reason}; check the setting \`database\` and that the file or server may be written`,
      { cause },
    );
  }
}

/** Makes the file for this user alone; SQLite gives its companions the same mode. */
function createPrivate(file: string): void {
  if (file !== ':memory:' && !existsSync(file)) closeSync(openSync(file, 'a', 0o600));
}

async function toSourceOptions(options: DatabaseOptions): Promise<DataSourceOptions> {
  const shared = {
    entities,
    migrations,
    synchronize: false,
    logging: false,
    migrationsTableName: 'migration',
  };
  if (options.kind === 'postgres') {
    const { connections, connectSeconds, statementSeconds } = options;
    const { ImpatientClient } = await import('./impatient-client.js');
    const pool = {
      ...{ Client: ImpatientClient, max: connections, application_name: 'espalier' },
      ...{ connectionTimeoutMillis: connectSeconds * 1000, statement_timeout: statementSeconds * 1000 },
      // for a PostgreSQL that is silent, and so cannot end the statement itself
      query_timeout: statementSeconds === 0 ? 0 : (statementSeconds + connectSeconds) * 1000,
    };
    return {
      ...shared,
      type: 'postgres',
      url: options.url,
      extra: pool,
      uuidExtension: 'pgcrypto',
      installExtensions: false,
    };
  }
  mkdirSync(dirname(options.file), { recursive: true, mode: 0o700 });
  const { default: driver } = await import('libsql');
  return {
    ...shared,
    type: 'better-sqlite3',
    driver,
    statementCacheSize: 300,
    database: options.file,
    enableWAL: true,
    prepareDatabase: (database: { exec(sql: string): unknown }) => {
      database.exec('PRAGMA synchronous = FULL');
      database.exec(`PRAGMA busy_timeout = ${lockMs}`);
      database.exec('PRAGMA cache_size = -32000');
    },
  };
}
