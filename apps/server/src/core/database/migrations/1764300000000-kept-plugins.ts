import type { MigrationInterface, QueryRunner } from 'typeorm';

/** From which attempt on a job keeps its plugins. */
export class KeptPlugins1764300000000 implements MigrationInterface {
  readonly name = 'KeptPlugins1764300000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE "job" ADD COLUMN "pluginsSince" integer NOT NULL DEFAULT 0');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE "job" DROP COLUMN "pluginsSince"');
  }
}
