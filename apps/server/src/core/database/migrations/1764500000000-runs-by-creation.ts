import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The index along which runs are listed, for databases from before it; in a new one the first migration has created it. */
export class RunsByCreation1764500000000 implements MigrationInterface {
  readonly name = 'RunsByCreation1764500000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('CREATE INDEX IF NOT EXISTS "run_by_creation" ON "run" ("createdAt", "id")');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX "run_by_creation"');
  }
}
