import { type MigrationInterface, type QueryRunner, TableIndex } from 'typeorm';

const columnNames = [
  ...['runId', 'name', 'firstCursor', 'attempt', 'firstStep', 'lastStep', 'count', 'numbers'],
  ...['min', 'minStep', 'max', 'maxStep', 'sum'],
];

/** The extents of metric blocks can be read, in order, without the values packed beside them. */
export class MetricExtent1764200000000 implements MigrationInterface {
  readonly name = 'MetricExtent1764200000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.createIndex('metric_block', new TableIndex({ name: 'metric_block_extent', columnNames }));
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.dropIndex('metric_block', 'metric_block_extent');
  }
}
