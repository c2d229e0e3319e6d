/** @file Puts trajectories into the database: their rows, and their texts into the full-text index. */
import type { EntityManager } from 'typeorm';
import { insertRows } from '../../database/rows.js';
import { isPostgres, runSql } from '../../database/run-sql.js';
import { type IncomingEvent, finiteOrNull } from '../records/stored-record.js';
import { normalizeText, runWord } from './search-terms.js';
import { lastStepBefore } from '../metrics/last-steps.js';
import { TrajectoryEntity } from '../../database/entities/trajectory.js';

/** A received trajectory with its cursor in the history of its run. */
export interface IncomingTrajectory {
  readonly cursor: number;
  readonly attempt: number;
  readonly step: number;
  readonly row: Extract<IncomingEvent, { kind: 'trajectory' }>['row'];
}

/** Stores trajectories of a run, inside a write transaction. */
export async function insertTrajectories(
  manager: EntityManager,
  runId: string,
  incoming: readonly IncomingTrajectory[],
): Promise<void> {
  if (incoming.length === 0) return;
  const keys = await takeSearchKeys(manager, incoming.length);
  const rows = incoming.map((one, index) => toEntity(runId, one, keys[index] as number));
  await insertRows(manager, TrajectoryEntity, rows);
  await (isPostgres(manager) ? indexInPostgres(manager, rows) : indexInSqlite(manager, rows));
}

/**
 * Marks trajectories of earlier attempts for the steps after `done` as superseded; an attempt that starts at 0 also repeats
 * the validation at 0.
 */
export async function supersedeTrajectories(
  manager: EntityManager,
  runId: string,
  attempt: number,
  done: number,
): Promise<void> {
  await runSql(
    manager,
    `UPDATE trajectory SET superseded = ? WHERE "runId" = ? AND step > ?
     AND attempt < ? AND superseded = ?`,
    [true, runId, lastStepBefore(done), attempt, false],
  );
}

/** Allocates numbers that are unique among the trajectories of the server. */
async function takeSearchKeys(manager: EntityManager, count: number): Promise<number[]> {
  if (isPostgres(manager)) {
    const text = `SELECT nextval('trajectory_search_key') AS key FROM generate_series(1, ?)`;
    return (await runSql<{ key: unknown }>(manager, text, [count])).map(({ key }) => Number(key));
  }
  const [newest] = await runSql<{ key: unknown }>(manager, 'SELECT MAX("searchKey") AS key FROM trajectory');
  return Array.from({ length: count }, (_, index) => Number(newest?.key ?? 0) + index + 1);
}

function toEntity(runId: string, one: IncomingTrajectory, searchKey: number): TrajectoryEntity {
  const { row } = one;
  return {
    ...row,
    environmentTag: row.environmentTag ?? null,
    dropped: row.dropped ?? null,
    outcome: row.outcome ?? null,
    lossTokens: row.lossTokens ?? null,
    clippedTokens: row.clippedTokens ?? null,
    updateShare: row.updateShare ?? null,
    runId,
    cursor: one.cursor,
    attempt: one.attempt,
    step: one.step,
    searchKey,
    superseded: false,
    reward: finiteOrNull(row.reward),
    environmentReward: finiteOrNull(row.environmentReward),
    error: row.error === null ? null : withoutNul(row.error),
    text: withoutNul(row.text),
  };
}

/** PostgreSQL cannot store NUL characters. */
function withoutNul(text: string): string {
  return text.replaceAll('\0', '\uFFFD');
}

async function indexInSqlite(manager: EntityManager, rows: readonly TrajectoryEntity[]): Promise<void> {
  for (let from = 0; from < rows.length; from += 100) {
    const part = rows.slice(from, from + 100);
    const rowsSql = part.map(() => '(?, ?, ?)').join(', ');
    const values = part.flatMap((row) => [row.searchKey, runWord(row.runId), normalizeText(row.text)]);
    await runSql(manager, `INSERT INTO trajectory_search (rowid, run, text) VALUES ${rowsSql}`, values);
  }
}

async function indexInPostgres(manager: EntityManager, rows: readonly TrajectoryEntity[]): Promise<void> {
  await runSql(
    manager,
    `INSERT INTO trajectory_search ("runId", cursor, "searchKey", document)
     SELECT * FROM (SELECT unnest(?::text[]) AS run, unnest(?::bigint[]) AS cursor, unnest(?::bigint[]) AS key,
       to_tsvector('simple', unnest(?::text[])) AS document) AS rows`,
    [
      rows.map((row) => row.runId),
      rows.map((row) => row.cursor),
      rows.map((row) => row.searchKey),
      rows.map((row) => normalizeText(row.text)),
    ],
  );
}
