import { type MigrationInterface, type QueryRunner, Table } from 'typeorm';
import { DeviceMinute } from '../entities/device-minute.js';

/** The history of devices, for databases from before it; in a new one the first migration has created it. */
export class DeviceMinutes1764400000000 implements MigrationInterface {
  readonly name = 'DeviceMinutes1764400000000';

  async up(runner: QueryRunner): Promise<void> {
    const { connection } = runner;
    const table = Table.create(connection.getMetadata(DeviceMinute), connection.driver);
    await runner.createTable(table, true);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.dropTable('device_minute');
  }
}
