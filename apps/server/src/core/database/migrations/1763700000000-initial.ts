import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The full-text index of trajectories; it forgets a trajectory when its row is deleted. SQLite: FTS5 without a copy of
 * the text, by `searchKey`; the column `run` scopes a search to a run. PostgreSQL: a tsvector next to each row.
 */
const search = {
  sqlite: {
    up: [
      `CREATE VIRTUAL TABLE trajectory_search USING fts5(run, text, content='', contentless_delete=1, tokenize="unicode61 remove_diacritics 0")`,
      `CREATE TRIGGER trajectory_forget AFTER DELETE ON trajectory BEGIN DELETE FROM trajectory_search WHERE rowid = old."searchKey"; END`,
    ],
    down: ['DROP TRIGGER trajectory_forget', 'DROP TABLE trajectory_search'],
  },
  postgres: {
    up: [
      // runs that store trajectories at the same time take different numbers from it
      'CREATE SEQUENCE trajectory_search_key',
      `CREATE TABLE trajectory_search ("runId" text NOT NULL, cursor bigint NOT NULL, "searchKey" bigint NOT NULL, document tsvector NOT NULL, PRIMARY KEY ("runId", cursor), FOREIGN KEY ("runId", cursor) REFERENCES trajectory ("runId", cursor) ON DELETE CASCADE)`,
      `CREATE INDEX trajectory_search_document ON trajectory_search USING gin (document)`,
    ],
    down: ['DROP TABLE trajectory_search', 'DROP SEQUENCE trajectory_search_key'],
  },
};

/**
 * Everything the first release stores: the tables as the entities describe them, so that a column is written once. That
 * release replaces `createSchemaBuilder` by the statements it returns, and later columns get migrations of their own.
 */
export class Initial1763700000000 implements MigrationInterface {
  readonly name = 'Initial1763700000000';

  async up(runner: QueryRunner): Promise<void> {
    const { upQueries } = await runner.connection.driver.createSchemaBuilder().log();
    for (const { query, parameters } of upQueries) await runner.query(query, parameters);
    // heads of queues are read along it
    await runner.query(
      `CREATE INDEX "job_queue" ON "job" ("queue", "priority" DESC, "queuedAt", "id") WHERE "state" = 'queued'`,
    );
    for (const statement of searchOf(runner).up) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const statement of searchOf(runner).down) await runner.query(statement);
    for (const { tableName } of runner.connection.entityMetadatas) await runner.dropTable(tableName, true);
  }
}

function searchOf(runner: QueryRunner): { up: string[]; down: string[] } {
  return runner.connection.options.type === 'postgres' ? search.postgres : search.sqlite;
}
