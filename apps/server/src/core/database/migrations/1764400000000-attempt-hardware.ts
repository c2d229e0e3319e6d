import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What the devices of an attempt are, told with the attempt. */
export class AttemptHardware1764400000000 implements MigrationInterface {
  readonly name = 'AttemptHardware1764400000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE "attempt" ADD COLUMN "hardware" text');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE "attempt" DROP COLUMN "hardware"');
  }
}
