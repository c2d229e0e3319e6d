/**
 * @file The extents of blocks: all columns but the values. Blocks never change, so extents are cached and only newer
 * blocks are read, in pages that yield to other requests.
 */
import { setImmediate } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { runSql } from '../../database/run-sql.js';
import { RunLog } from '../../database/run-log.js';
import type { MetricBlock } from '../../database/entities/metric-block.js';

export type Extent = Omit<
  MetricBlock,
  'runId' | 'name' | 'packedSteps' | 'packedTimes' | 'packedValues' | 'lastCursor'
>;

const columns =
  'attempt, "firstCursor", "firstStep", "lastStep", count, numbers, min, "minStep", max, "maxStep", "firstTime", "lastTime", "minTime", "maxTime", sum';
const pageSize = 500;
/** Extents of all series; one takes about 150 bytes. */
const maxCached = 60_000;

@Injectable()
export class MetricExtents {
  private readonly known = new LRUCache<string, readonly Extent[]>({
    maxSize: maxCached,
    sizeCalculation: ({ length }) => length,
  });

  constructor(private readonly log: RunLog) {}

  /** Reads the extents of a series whose first cursors are at most `end`, in their order. */
  async upTo(runId: string, name: string, end: number): Promise<readonly Extent[]> {
    const key = `${runId} ${name}`;
    const known = this.known.get(key) ?? [];
    const added: Extent[] = [];
    for (;;) {
      const after = (added.at(-1) ?? known.at(-1))?.firstCursor ?? 0;
      const page = after >= end ? [] : await this.readPage(runId, name, after, end);
      added.push(...page);
      if (page.length < pageSize) break;
      await setImmediate();
    }
    const extents = added.length === 0 ? known : [...known, ...added];
    if (added.length > 0) this.known.set(key, extents);
    return extents.filter(({ firstCursor }) => firstCursor <= end);
  }

  private async readPage(runId: string, name: string, after: number, end: number): Promise<Extent[]> {
    const rows = await this.log.read((manager) =>
      runSql<Extent>(
        manager,
        `SELECT ${columns} FROM metric_block WHERE "runId" = ? AND name = ? AND "firstCursor" > ?
         AND "firstCursor" <= ? ORDER BY "firstCursor" LIMIT ${pageSize}`,
        [runId, name, after, end],
      ),
    );
    return rows.map((row) => ({ ...row, firstCursor: Number(row.firstCursor) }));
  }
}
