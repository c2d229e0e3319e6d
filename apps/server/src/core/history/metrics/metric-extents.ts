/**
 * @file The extents of blocks: all of a block but its values. Blocks never change, so what was read once is remembered
 * for the series used last, and only newer blocks are read; in pages, between which others get their turn.
 */
import { setImmediate } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { runSql } from '../../database/run-sql.js';
import { RunLog } from '../../database/run-log.js';
import type { MetricBlock } from '../../database/entities/metric-block.js';

export type Extent = Omit<MetricBlock, 'runId' | 'name' | 'packedSteps' | 'packedValues' | 'lastCursor'>;

const columns =
  'attempt, "firstCursor", "firstStep", "lastStep", count, numbers, min, "minStep", max, "maxStep", sum';
const pageSize = 500;
/** Extents remembered in all; one takes about 100 bytes. */
const mostRemembered = 60_000;

@Injectable()
export class MetricExtents {
  private readonly known = new Map<string, Extent[]>();
  private remembered = 0;

  constructor(private readonly log: RunLog) {}

  /** Gives the extents of a series in order of their first cursors, which are at most `end`. */
  async upTo(runId: string, name: string, end: number): Promise<readonly Extent[]> {
    const key = `${runId} ${name}`;
    const extents = this.known.get(key) ?? [];
    this.forget(key);
    this.known.set(key, extents);
    this.remembered += extents.length;
    for (;;) {
      const after = extents.at(-1)?.firstCursor ?? 0;
      const page = after >= end ? [] : await this.readPage(runId, name, after, end);
      // another reader of the same series may have come first
      const last = extents.at(-1)?.firstCursor ?? 0;
      const fresh = page.filter(({ firstCursor }) => firstCursor > last);
      extents.push(...fresh);
      if (this.known.get(key) === extents) this.remembered += fresh.length;
      if (page.length < pageSize) break;
      await setImmediate();
    }
    this.limit();
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

  private forget(key: string): void {
    this.remembered -= this.known.get(key)?.length ?? 0;
    this.known.delete(key);
  }

  private limit(): void {
    for (const key of this.known.keys()) {
      if (this.remembered <= mostRemembered) return;
      this.forget(key);
    }
  }
}
