/**
 * @file The newest rows of metrics of each run, which are in no block yet: cached for the runs last used, and read from the
 * history otherwise. A run that has ended has none, because reading rows costs many times what reading blocks does.
 */
import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import type { EntityManager } from 'typeorm';
import { insertRows } from '../../database/rows.js';
import { runSql } from '../../database/run-sql.js';
import { buildBlocks, type MetricRow, rowsPerBlock } from './build-blocks.js';
import { MetricBlock } from '../../database/entities/metric-block.js';

/** Rows of so many runs are cached, however many metrics they have; of more where they have few. */
const runsCached = 64;
/** values of all cached rows */
const valuesCached = runsCached * rowsPerBlock * 100;

@Injectable()
export class MetricTails {
  private readonly tails = new LRUCache<string, readonly MetricRow[]>({
    maxSize: valuesCached,
    sizeCalculation: (rows) => Math.max(1, Math.min(valuesCached / runsCached, sizeOf(rows))),
  });

  /**
   * Adds rows of a run inside a write transaction, and writes the blocks that are full. If the transaction fails, call
   * `forget` before the next one starts.
   *
   * @param isEnd few or none will follow: what remains becomes a block too
   */
  async extend(
    manager: EntityManager,
    runId: string,
    rows: readonly MetricRow[],
    isEnd = false,
  ): Promise<void> {
    const added = rows.filter(({ values }) => !isEmpty(values));
    if (added.length === 0 && !isEnd) return;
    const firstAdded = added[0]?.cursor ?? Number.MAX_SAFE_INTEGER;
    const known = this.tails.get(runId) ?? (await load(manager, runId, firstAdded - 1));
    const all = [...known, ...added];
    let done = 0;
    const least = isEnd ? 1 : rowsPerBlock;
    for (; all.length - done >= least; done += rowsPerBlock) {
      await insertRows(manager, MetricBlock, buildBlocks(runId, all.slice(done, done + rowsPerBlock)));
    }
    this.tails.set(runId, all.slice(done));
  }

  /** Reads the rows of a run that are in no block, in order. Inside `RunLog.read` or a write. */
  async of(manager: EntityManager, runId: string): Promise<readonly MetricRow[]> {
    const known = this.tails.get(runId);
    if (known !== undefined) return known;
    const rows = await load(manager, runId, Number.MAX_SAFE_INTEGER);
    if (!this.tails.has(runId)) this.tails.set(runId, rows);
    return this.tails.get(runId) ?? rows;
  }

  /** Drops the cached rows of a run, because it was deleted or a transaction failed. */
  forget(runId: string): void {
    this.tails.delete(runId);
  }
}

async function load(manager: EntityManager, runId: string, until: number): Promise<MetricRow[]> {
  const [newest] = await runSql<{ cursor: unknown }>(
    manager,
    'SELECT MAX("lastCursor") AS cursor FROM metric_block WHERE "runId" = ?',
    [runId],
  );
  const rows = await runSql<{ cursor: unknown; attempt: number; step: number; time: unknown; body: string }>(
    manager,
    `SELECT cursor, attempt, step, time, body FROM run_record
     WHERE "runId" = ? AND cursor > ? AND cursor <= ? AND kind = 'metrics' ORDER BY cursor`,
    [runId, Number(newest?.cursor ?? 0), until],
  );
  return rows
    .map(({ cursor, attempt, step, time, body }) => ({
      cursor: Number(cursor),
      attempt,
      step,
      time: Number(time),
      values: (JSON.parse(body) as { values: MetricRow['values'] }).values,
    }))
    .filter(({ values }) => !isEmpty(values));
}

/** About how many values rows hold; what else is in a row counts as a few. */
function sizeOf(rows: readonly MetricRow[]): number {
  return rows.length * (Object.keys(rows.at(-1)?.values ?? {}).length + 5);
}

function isEmpty(values: MetricRow['values']): boolean {
  for (const _ in values) return false;
  return true;
}
