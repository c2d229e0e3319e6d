/**
 * @file Reads the history of metrics. If buckets are at least as large as blocks, the extents of complete blocks suffice and
 * values are unpacked only at the edges. Otherwise all blocks of the range are unpacked. Both yield the same extrema.
 */
import { setImmediate } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { runSql } from '../../database/run-sql.js';
import { RunLog } from '../../database/run-log.js';
import { Run } from '../../database/entities/run.js';
import { findLastSteps } from './last-steps.js';
import { metricCatalogue } from './generated/metric-catalogue.js';
import { type Bucket, mergeBuckets, toBuckets, toLine } from './decimate.js';
import { type Extent, MetricExtents } from './metric-extents.js';
import type { HistoryRequest } from './metric-request.js';
import { MetricTails } from './metric-tails.js';
import type { MetricName, MetricSeries } from './metric.types.js';
import { type PackedBlock, type Scope, SeriesValues } from './series-values.js';

/** Blocks unpacked in one read; it yields to other requests between two reads. */
const blocksPerRead = 100;

const definitions = new Map(metricCatalogue.map(([name, ...definition]) => [name, definition] as const));

@Injectable()
export class MetricHistory {
  constructor(
    private readonly log: RunLog,
    private readonly tails: MetricTails,
    private readonly extents: MetricExtents,
  ) {}

  /** Reads several metrics of several runs, each decimated to a number of points; null: the run has no such metric. */
  async read(request: HistoryRequest): Promise<(MetricSeries | null)[]> {
    const series: (MetricSeries | null)[] = [];
    for (const runId of new Set(request.runIds)) {
      for (const name of new Set(request.names)) {
        const one = await this.readSeries(runId, name, request);
        series.push(one === null || request.digits === undefined ? one : roundSeries(one, request.digits));
      }
    }
    return series;
  }

  /** Lists the metrics of a run by name. */
  async names(runId: string): Promise<MetricName[]> {
    return this.log.read(async (manager) => {
      const counts = new Map<string, number>();
      const stored = await runSql<{ name: string; count: unknown }>(
        manager,
        'SELECT name, SUM(count) AS count FROM metric_block WHERE "runId" = ? GROUP BY name',
        [runId],
      );
      for (const { name, count } of stored) counts.set(name, Number(count));
      for (const { values } of await this.tails.of(manager, runId))
        for (const name in values) counts.set(name, (counts.get(name) ?? 0) + 1);
      const run = await manager.findOne(Run, { where: { id: runId }, select: { id: true, latest: true } });
      return [...counts]
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .map(([name, count]) => {
          const [unit = null, formula = null] = definitions.get(name) ?? [];
          return { name, unit, formula, latest: run?.latest[name] ?? null, count };
        });
    });
  }

  private async readSeries(
    runId: string,
    name: string,
    { fromStep, toStep, points }: HistoryRequest,
  ): Promise<MetricSeries | null> {
    const [tail, cuts] = await this.log.read(
      async (manager) => [await this.tails.of(manager, runId), await findLastSteps(manager, runId)] as const,
    );
    const scope: Scope = { fromStep, toStep, cuts };
    // rows that are written meanwhile go into later blocks
    const end = (tail[0]?.cursor ?? Number.MAX_SAFE_INTEGER) - 1;
    const all = await this.extents.upTo(runId, name, end);
    if (all.length === 0 && !tail.some(({ values }) => Object.hasOwn(values, name))) return null;
    const extents = all.filter((extent) => touches(extent, scope));
    const partial = extents.filter((extent) => !isComplete(extent, scope));
    const maxBuckets = Math.max(1, Math.floor(points / 2));
    const isCoarse = extents.length - partial.length > maxBuckets;
    const packed = isCoarse ? partial : extents;
    const found = new SeriesValues(packed.reduce((sum, { count }) => sum + count, tail.length));
    if (isCoarse) {
      const edges = new Map<number, Bucket[]>();
      await this.unpack(runId, name, packed, (block) => {
        const edge = new SeriesValues(block.count);
        edge.addBlock(block, scope);
        edges.set(block.firstCursor, toOneBucket(edge));
      });
      found.addRows(tail, name, scope);
      const buckets = extents.flatMap((extent) => edges.get(extent.firstCursor) ?? [extent]);
      buckets.push(...toOneBucket(found));
      return toDecimated(runId, name, mergeBuckets(buckets, Math.ceil(buckets.length / maxBuckets)));
    }
    await this.unpack(runId, name, packed, (block) => found.addBlock(block, scope));
    found.addRows(tail, name, scope);
    const { steps, times, values } = found;
    if (steps.length > points)
      return toDecimated(runId, name, toBuckets(found, Math.ceil(steps.length / maxBuckets)));
    return {
      runId,
      name,
      count: values.length,
      decimated: false,
      steps: [...steps],
      times: [...times],
      buckets: null,
      values: Array.from(values, (value) => (Number.isNaN(value) ? null : value)),
    };
  }

  /** Reads blocks with their values, in order, some at a time. */
  private async unpack(
    runId: string,
    name: string,
    extents: readonly Extent[],
    onBlock: (block: PackedBlock) => void,
  ): Promise<void> {
    for (let from = 0; from < extents.length; from += blocksPerRead) {
      if (from > 0) await setImmediate();
      const cursors = extents.slice(from, from + blocksPerRead).map(({ firstCursor }) => firstCursor);
      const blocks = await this.log.read((manager) => readPacked(manager, runId, name, cursors));
      for (const block of blocks) onBlock({ ...block, firstCursor: Number(block.firstCursor) });
    }
  }
}

function isComplete({ attempt, firstStep, lastStep }: Extent, { fromStep, toStep, cuts }: Scope): boolean {
  return firstStep >= fromStep && lastStep <= toStep && lastStep <= cuts(attempt);
}

function touches({ attempt, firstStep, lastStep }: Extent, { fromStep, toStep, cuts }: Scope): boolean {
  return lastStep >= fromStep && firstStep <= toStep && firstStep <= cuts(attempt);
}

/** All values as one bucket; none if there are none. */
function toOneBucket(series: SeriesValues): Bucket[] {
  return toBuckets(series, Math.max(1, series.steps.length));
}

async function readPacked(
  manager: EntityManager,
  runId: string,
  name: string,
  cursors: readonly number[],
): Promise<PackedBlock[]> {
  return runSql(
    manager,
    `SELECT attempt, "firstCursor", "firstStep", "firstTime", count, "packedSteps", "packedTimes", "packedValues"
     FROM metric_block
     WHERE "runId" = ? AND name = ? AND "firstCursor" IN (${cursors.map(() => '?').join(', ')})
     ORDER BY "firstCursor"`,
    [runId, name, ...cursors],
  );
}

/** Rounds values to significant digits; whole numbers are short as they are. */
function roundSeries(series: MetricSeries, digits: number): MetricSeries {
  const round = (values: readonly (number | null)[]): (number | null)[] =>
    values.map((value) =>
      value === null || Number.isInteger(value) ? value : Number(value.toPrecision(digits)),
    );
  const { values, buckets } = series;
  if (buckets === null) return { ...series, values: round(values) };
  const { min, max, mean } = buckets;
  return {
    ...series,
    values: round(values),
    buckets: { ...buckets, min: round(min), max: round(max), mean: round(mean) },
  };
}

function toDecimated(runId: string, name: string, buckets: readonly Bucket[]): MetricSeries {
  return {
    runId,
    name,
    decimated: true,
    ...toLine(buckets),
    count: buckets.reduce((sum, { count }) => sum + count, 0),
    buckets: {
      firstSteps: buckets.map(({ firstStep }) => firstStep),
      lastSteps: buckets.map(({ lastStep }) => lastStep),
      firstTimes: buckets.map(({ firstTime }) => firstTime),
      lastTimes: buckets.map(({ lastTime }) => lastTime),
      counts: buckets.map(({ count }) => count),
      min: buckets.map(({ min }) => min),
      max: buckets.map(({ max }) => max),
      mean: buckets.map(({ sum, numbers }) => (numbers === 0 ? null : sum / numbers)),
    },
  };
}
