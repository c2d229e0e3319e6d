import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The full-text index of trajectories; it forgets a trajectory when its row is deleted. SQLite: FTS5 without a copy of
 * the text, by `searchKey`; the column `run` scopes a search to a run. PostgreSQL: a tsvector beside each row.
 */
const statements = {
  sqlite: {
    up: [
      `CREATE VIRTUAL TABLE trajectory_search USING fts5(run, text, content='', contentless_delete=1, tokenize="unicode61 remove_diacritics 0")`,
      `CREATE TRIGGER trajectory_forget AFTER DELETE ON trajectory BEGIN DELETE FROM trajectory_search WHERE rowid = old."searchKey"; END`,
    ],
    down: ['DROP TRIGGER trajectory_forget', 'DROP TABLE trajectory_search'],
  },
  postgres: {
    up: [
      `CREATE TABLE trajectory_search ("runId" text NOT NULL, cursor bigint NOT NULL, document tsvector NOT NULL, PRIMARY KEY ("runId", cursor), FOREIGN KEY ("runId", cursor) REFERENCES trajectory ("runId", cursor) ON DELETE CASCADE)`,
      `CREATE INDEX trajectory_search_document ON trajectory_search USING gin (document)`,
    ],
    down: ['DROP TABLE trajectory_search'],
  },
};

export class Search1763700000001 implements MigrationInterface {
  readonly name = 'Search1763700000001';

  async up(runner: QueryRunner): Promise<void> {
    for (const statement of statementsOf(runner).up) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const statement of statementsOf(runner).down) await runner.query(statement);
  }
}

function statementsOf(runner: QueryRunner): { up: string[]; down: string[] } {
  return runner.connection.options.type === 'postgres' ? statements.postgres : statements.sqlite;
}
