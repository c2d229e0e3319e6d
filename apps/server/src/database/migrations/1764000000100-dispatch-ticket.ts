/** @file Creates the table of the embedded dispatch queue, on SQLite and PostgreSQL alike. */
import { type MigrationInterface, type QueryRunner, Table, TableIndex } from 'typeorm';

export class DispatchTicket1764000000100 implements MigrationInterface {
  readonly name = 'DispatchTicket1764000000100';

  async up(runner: QueryRunner): Promise<void> {
    await runner.createTable(
      new Table({
        name: 'dispatch_ticket',
        columns: [
          { name: 'job_id', type: 'varchar', length: '200', isPrimary: true },
          { name: 'lane', type: 'varchar', length: '120' },
          { name: 'rank', type: 'integer' },
          { name: 'enqueued_at', type: 'bigint' },
          { name: 'holder', type: 'varchar', length: '200', isNullable: true },
          { name: 'free_at', type: 'bigint', default: 0 },
        ],
      }),
    );
    await runner.createIndex(
      'dispatch_ticket',
      new TableIndex({
        name: 'dispatch_ticket_order',
        columnNames: ['lane', 'rank', 'enqueued_at', 'job_id'],
      }),
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.dropTable('dispatch_ticket');
  }
}
