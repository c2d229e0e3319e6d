/**
 * @file Opens the database and applies its migrations. The server is its only writer; SQLite has one connection,
 * WAL, and a full fsync per commit (writes are batched, so that costs nothing).
 */
import { closeSync, existsSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { AppError, isAppError } from '@espalier/contracts';
import { DataSource, type DataSourceOptions } from 'typeorm';
import type { DatabaseOptions } from '../../../config/storage-options.js';
import {
  isCorruption,
  databaseLost,
  markInitialized,
  assertDatabaseExists,
  checkIntegrity,
} from './database-integrity.js';
import { ApiKey } from '../entities/api-key.js';
import { Alert } from '../entities/alert.js';
import { AlertVerdict } from '../entities/alert-verdict.js';
import { Artifact } from '../entities/artifact.js';
import { AuditEntry } from '../entities/audit-entry.js';
import { Rater, Rating, RatingItem, RatingSet } from '../entities/rating.js';
import { RunComment } from '../entities/run-comment.js';
import { RunRecord } from '../entities/run-record.js';
import { Attempt } from '../entities/attempt.js';
import { DeviceMinute } from '../entities/device-minute.js';
import { Job } from '../entities/job.js';
import { LaunchedWorker } from '../entities/launched-worker.js';
import { MetricBlock } from '../entities/metric-block.js';
import { Run } from '../entities/run.js';
import { TrajectoryEntity } from '../entities/trajectory.js';
import { WebhookDelivery } from '../entities/webhook-delivery.js';
import { Worker } from '../entities/worker.js';
import { Initial1763700000000 } from '../migrations/1763700000000-initial.js';
import { Verdicts1764200000000 } from '../migrations/1764200000000-verdicts.js';
import { RareRecords1764300000000 } from '../migrations/1764300000000-rare-records.js';
import { DeviceMinutes1764400000000 } from '../migrations/1764400000000-device-minutes.js';
import { RunsByCreation1764500000000 } from '../migrations/1764500000000-runs-by-creation.js';
import { AlertAssignees1764600000000 } from '../migrations/1764600000000-alert-assignees.js';
import { Failures1764700000000 } from '../migrations/1764700000000-failures.js';
import { commitOffThread } from './sqlite-transactions.js';
import { findLostCommits } from './write-ahead-log.js';

const entities = [
  ApiKey,
  Alert,
  AlertVerdict,
  Artifact,
  Attempt,
  AuditEntry,
  DeviceMinute,
  Job,
  LaunchedWorker,
  MetricBlock,
  Rater,
  Rating,
  RatingItem,
  RatingSet,
  Run,
  RunComment,
  RunRecord,
  TrajectoryEntity,
  WebhookDelivery,
  Worker,
];

const migrations = [
  Initial1763700000000,
  Verdicts1764200000000,
  RareRecords1764300000000,
  DeviceMinutes1764400000000,
  RunsByCreation1764500000000,
  AlertAssignees1764600000000,
  Failures1764700000000,
];

/**
 * Opens the database with all migrations applied.
 *
 * @param data data folder of the server, which shows whether there was a database before
 * @param epoch of the lease under which it is opened
 * @throws server.database_newer when a later version has migrated it; server.database_lost when there was one; server.database_unusable when it cannot be opened or a migration fails
 */
export async function openDatabase(
  options: DatabaseOptions,
  data?: string,
  epoch?: number,
): Promise<DataSource> {
  const guarded = options.kind === 'sqlite' && options.file !== ':memory:' ? data : undefined;
  if (guarded !== undefined) assertDatabaseExists(options.file, guarded);
  const lost = guarded === undefined ? undefined : findLostCommits(options.file);
  if (guarded !== undefined && lost !== undefined) throw databaseLost(options.file, guarded, lost);
  const source = new DataSource(await toSourceOptions(options, epoch));
  try {
    if (options.kind === 'sqlite') createPrivate(options.file);
    await source.initialize();
    if (guarded !== undefined) await checkIntegrity(source, options.file, guarded);
    if (options.kind === 'sqlite') await commitOffThread(source, options.lockSeconds * 1000);
    await assertNotNewer(source);
    await source.runMigrations({ transaction: 'each' });
    if (guarded !== undefined) markInitialized(options.file);
    return source;
  } catch (cause) {
    if (source.isInitialized) await source.destroy();
    if (isAppError(cause)) throw cause;
    const where = options.kind === 'sqlite' ? options.file : 'PostgreSQL';
    const reason = cause instanceof Error ? cause.message : String(cause);
    if (guarded !== undefined && isCorruption(reason)) throw databaseLost(options.file, guarded, reason);
    throw new AppError(
      'server.database_unusable',
      `open the database (${where}): ${reason}; check the setting \`database\` and that the file or server may be written`,
      { cause },
    );
  }
}

/** A later version may have changed what this one would write. */
async function assertNotNewer(source: DataSource): Promise<void> {
  const runner = source.createQueryRunner();
  try {
    if (!(await runner.hasTable('migration'))) return;
    const applied = (await runner.query('SELECT name FROM migration')) as { name: string }[];
    const known = source.migrations.map(({ name, constructor }) => name ?? constructor.name);
    const unknown = applied.map(({ name }) => name).filter((name) => !known.includes(name));
    if (unknown.length > 0)
      throw new AppError(
        'server.database_newer',
        `open the database: a later version of Espalier has migrated it (${unknown.join(', ')}); install that version, or restore a backup from before`,
      );
  } finally {
    await runner.release();
  }
}

/** Creates the file for this user only; SQLite uses the same mode for the log and its index. */
function createPrivate(file: string): void {
  if (file !== ':memory:' && !existsSync(file)) closeSync(openSync(file, 'a', 0o600));
}

async function toSourceOptions(options: DatabaseOptions, epoch?: number): Promise<DataSourceOptions> {
  const shared = {
    entities,
    migrations,
    synchronize: false,
    logging: false,
    migrationsTableName: 'migration',
  };
  if (options.kind === 'postgres') {
    const { connections, connectSeconds, statementSeconds } = options;
    const { TimeoutClient } = await import('./timeout-client.js');
    const { applicationName } = await import('./postgres-lease.js');
    const pool = {
      Client: TimeoutClient,
      max: connections,
      application_name: epoch === undefined ? 'espalier' : applicationName(epoch),
      connectionTimeoutMillis: connectSeconds * 1000,
      statement_timeout: statementSeconds * 1000,
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
      database.exec(`PRAGMA busy_timeout = ${Math.round(options.lockSeconds * 1000)}`);
      database.exec('PRAGMA cache_size = -32000');
    },
  };
}
