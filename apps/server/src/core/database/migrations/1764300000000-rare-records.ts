import type { MigrationInterface, QueryRunner } from 'typeorm';
import { isRareKind } from '../entities/run-record.js';

/**
 * The index of what happened to a run besides metrics, trajectories and log lines, for databases from before it; in a new
 * one the first migration has created it.
 */
export class RareRecords1764300000000 implements MigrationInterface {
  readonly name = 'RareRecords1764300000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `CREATE INDEX IF NOT EXISTS "run_record_rare" ON "run_record" ("runId", "cursor", "kind", "step") WHERE ${isRareKind}`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX "run_record_rare"');
  }
}
