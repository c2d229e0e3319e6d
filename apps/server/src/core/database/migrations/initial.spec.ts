import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DataSource } from 'typeorm';
import { expect, it } from 'vitest';
import { describePartsOnEach } from '../../../../../../test/support/each-database.js';
import { databaseOptions } from '../../../config/storage-options.js';
import { Alert } from '../entities/alert.js';
import { Job } from '../entities/job.js';
import { RunComment } from '../entities/run-comment.js';
import { RunRecord } from '../entities/run-record.js';
import { openDatabase } from '../open/open-database.js';

interface TableFacts {
  readonly name: string;
  readonly key: string[];
  /** with `?` for nullable */
  readonly columns: string[];
  /** `name(column, …)`, with `!` for unique; TypeORM reads them from PostgreSQL without their order */
  readonly indices: string[];
}

/** What the entities ask for, the same for every database. */
const declared = (source: DataSource): TableFacts[] =>
  source.entityMetadatas
    .map(({ tableName, primaryColumns, columns, indices }) => ({
      name: tableName,
      key: primaryColumns.map(({ databaseName }) => databaseName).sort(),
      columns: columns.map(({ databaseName, isNullable }) => databaseName + (isNullable ? '?' : '')).sort(),
      indices: indices
        .filter(({ synchronize }) => synchronize)
        .map(
          ({ name, isUnique, columns: of }) =>
            `${name}(${of
              .map(({ databaseName }) => databaseName)
              .sort()
              .join(', ')})${isUnique ? '!' : ''}`,
        )
        .sort(),
    }))
    .sort((a, b) => a.name.localeCompare(b.name));

/** What the migration made. */
async function migrated(source: DataSource): Promise<TableFacts[]> {
  const runner = source.createQueryRunner();
  const tables = await runner.getTables(source.entityMetadatas.map(({ tableName }) => tableName));
  await runner.release();
  return tables
    .map(({ name, primaryColumns, columns, indices }) => ({
      name: name.replace(/^public\./, ''),
      key: primaryColumns.map((column) => column.name).sort(),
      columns: columns.map((column) => column.name + (column.isNullable ? '?' : '')).sort(),
      indices: indices
        .filter((index) => index.name !== 'job_queue')
        .map(
          (index) => `${index.name}(${[...index.columnNames].sort().join(', ')})${index.isUnique ? '!' : ''}`,
        )
        .sort(),
    }))
    .sort((a, b) => a.name.localeCompare(b.name));
}

describePartsOnEach('the migrated tables', (open) => {
  const withSource = async (use: (source: DataSource) => Promise<void>) => {
    const folder = mkdtempSync(join(tmpdir(), 'espalier-migration-'));
    const { database = {} } = await open();
    const source = await openDatabase(
      databaseOptions.parse({ file: join(folder, 'database.sqlite'), ...database }),
    );
    await use(source).finally(async () => source.destroy());
    rmSync(folder, { recursive: true });
  };

  it('are those of the entities, with their keys, columns and indices', () =>
    withSource(async (source) => expect(await migrated(source)).toEqual(declared(source))));

  it('leave nothing for TypeORM to change', () =>
    withSource(async (source) => {
      const { upQueries } = await source.driver.createSchemaBuilder().log();
      expect(upQueries.map(({ query }) => query)).toEqual([]);
    }));

  it('are gained by a database from before, which keeps its rows', () =>
    withSource(async (source) => {
      const indicesOf = async (table: string) =>
        (await migrated(source)).find(({ name }) => name === table)?.indices;
      await source.undoLastMigration();
      await source.query(
        `INSERT INTO job ("id", "runId", "project", "kind", "state", "message", "priority", "needs", "queue", "createdBy", "createdAt", "queuedAt", "token", "crashes", "tries", "losses", "pluginsSince") VALUES ('j', 'r', 'p', 'train', 'quarantined', 'm', 0, '{}', 'q', 'k', 1, 1, 4, 3, 1, 0, 0)`,
      );
      await source.query(
        `INSERT INTO run_record ("runId", "cursor", "kind", "attempt", "step", "time", "body") VALUES ('r', 1, 'state', 0, -1, 1, '{"from":"running","to":"quarantined"}')`,
      );
      await source.undoLastMigration();
      expect((await migrated(source)).find(({ name }) => name === 'alert')?.columns).not.toContain(
        'assignee?',
      );
      await source.query(
        `INSERT INTO alert ("id", "runId", "project", "severity", "code", "message", "step", "time") VALUES ('a', 'r', 'p', 'info', 'c', 'old', 1, 1)`,
      );
      await source.undoLastMigration();
      expect(String(await indicesOf('run'))).not.toContain('run_by_creation');
      await source.undoLastMigration();
      expect((await migrated(source)).map(({ name }) => name)).not.toContain('device_minute');
      await source.undoLastMigration();
      expect(await indicesOf('run_record')).toEqual([]);
      await source.undoLastMigration();
      const names = (await migrated(source)).map(({ name }) => name);
      expect(names).not.toContain('rating');
      const { columns = [] } = (await migrated(source)).find(({ name }) => name === 'run_comment') ?? {};
      expect(columns).toEqual(['createdAt', 'createdBy', 'id', 'idempotencyKey?', 'runId', 'step?', 'text']);
      await source.query(
        `INSERT INTO run_comment ("id", "runId", "createdAt", "createdBy", "text") VALUES ('c', 'r', 1, 'ann', 'old')`,
      );
      await source.runMigrations();
      expect(await migrated(source)).toEqual(declared(source));
      expect(await source.getRepository(RunComment).findOneBy({ id: 'c' })).toMatchObject({
        text: 'old',
        createdAt: 1,
        keyId: null,
        tokenStart: null,
      });
      expect(await source.getRepository(Job).findOneBy({ id: 'j' })).toMatchObject({
        state: 'failed',
        failures: 1,
        token: 4,
      });
      expect(await source.getRepository(RunRecord).findOneBy({ runId: 'r' })).toMatchObject({
        body: { from: 'running', to: 'failed' },
      });
      expect(await source.getRepository(Alert).findOneBy({ id: 'a' })).toMatchObject({
        message: 'old',
        rules: null,
        assignee: null,
      });
    }));

  it('are gone after the migrations are undone', () =>
    withSource(async (source) => {
      for (let left = source.migrations.length; left > 0; left--) await source.undoLastMigration();
      expect(await migrated(source)).toEqual([]);
    }));
});
