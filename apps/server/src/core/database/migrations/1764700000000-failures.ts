import type { MigrationInterface, QueryRunner } from 'typeorm';

/** One count of failures and one state of failed jobs, for databases from before; in a new one the first migration has created the column. */
export class Failures1764700000000 implements MigrationInterface {
  readonly name = 'Failures1764700000000';

  async up(runner: QueryRunner): Promise<void> {
    if (await runner.hasColumn('job', 'failures')) return;
    await runner.query('ALTER TABLE "job" RENAME COLUMN "tries" TO "failures"');
    for (const column of ['crashes', 'losses'])
      await runner.query(`ALTER TABLE "job" DROP COLUMN "${column}"`);
    for (const table of ['job', 'run'])
      await runner.query(`UPDATE "${table}" SET "state" = 'failed' WHERE "state" = 'quarantined'`);
    await runner.query(
      `UPDATE "run_record" SET "body" = REPLACE("body", '"quarantined"', '"failed"') WHERE "kind" = 'state' AND "body" LIKE '%"quarantined"%'`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE "job" RENAME COLUMN "failures" TO "tries"');
    for (const column of ['crashes', 'losses'])
      await runner.query(`ALTER TABLE "job" ADD COLUMN "${column}" integer NOT NULL DEFAULT 0`);
  }
}
