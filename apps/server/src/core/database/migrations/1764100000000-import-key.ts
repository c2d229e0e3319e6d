import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What an imported run is known again by. */
export class ImportKey1764100000000 implements MigrationInterface {
  readonly name = 'ImportKey1764100000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE "run" ADD COLUMN "importKey" text');
    await runner.query('ALTER TABLE "run" ADD COLUMN "importContent" text');
    await runner.query('CREATE INDEX "run_by_import_key" ON "run" ("importKey")');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX "run_by_import_key"');
    await runner.query('ALTER TABLE "run" DROP COLUMN "importContent"');
    await runner.query('ALTER TABLE "run" DROP COLUMN "importKey"');
  }
}
