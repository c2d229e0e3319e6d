/** @file Writes records by hand-written SQL: they are most of what the server writes. */
import type { EntityManager } from 'typeorm';
import { isPostgres, runSql } from './run-sql.js';
import type { RunRecord } from './entities/run-record.js';

const columns = '"runId", cursor, kind, attempt, step, time, body';
const rowsPerStatement = 250;

/** Inserts records that have their cursors. */
export async function insertRecords(manager: EntityManager, records: readonly RunRecord[]): Promise<void> {
  if (isPostgres(manager)) return insertIntoPostgres(manager, records);
  for (let from = 0; from < records.length; from += rowsPerStatement) {
    const part = records.slice(from, from + rowsPerStatement);
    const places = part.map(() => '(?, ?, ?, ?, ?, ?, ?)').join(', ');
    const values = part.flatMap(({ runId, cursor, kind, attempt, step, time, body }) => [
      runId,
      cursor,
      kind,
      attempt,
      step,
      time,
      JSON.stringify(body),
    ]);
    await runSql(manager, `INSERT INTO run_record (${columns}) VALUES ${places}`, values);
  }
}

/** One array per column keeps the statement the same for any number of rows. */
async function insertIntoPostgres(manager: EntityManager, records: readonly RunRecord[]): Promise<void> {
  const types = ['text', 'bigint', 'text', 'int', 'int', 'bigint', 'text'];
  const arrays = types.map((type) => `?::${type}[]`).join(', ');
  await runSql(manager, `INSERT INTO run_record (${columns}) SELECT * FROM unnest(${arrays})`, [
    records.map(({ runId }) => runId),
    records.map(({ cursor }) => cursor),
    records.map(({ kind }) => kind),
    records.map(({ attempt }) => attempt),
    records.map(({ step }) => step),
    records.map(({ time }) => Math.round(time)),
    records.map(({ body }) => JSON.stringify(body)),
  ]);
}
