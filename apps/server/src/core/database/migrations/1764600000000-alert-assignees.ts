import { type MigrationInterface, type QueryRunner, Table } from 'typeorm';
import { Alert } from '../entities/alert.js';

const columns = ['rules', 'assigneeId', 'assignee'];

/** Who looks after an alert and which rules it is about, for databases from before; in a new one the first migration has created the columns. */
export class AlertAssignees1764600000000 implements MigrationInterface {
  readonly name = 'AlertAssignees1764600000000';

  async up(runner: QueryRunner): Promise<void> {
    const { connection } = runner;
    const table = Table.create(connection.getMetadata(Alert), connection.driver);
    for (const column of table.columns.filter(({ name }) => columns.includes(name)))
      if (!(await runner.hasColumn('alert', column.name))) await runner.addColumn('alert', column);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const column of columns) await runner.dropColumn('alert', column);
  }
}
