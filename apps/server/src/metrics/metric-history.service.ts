/**
 * @file Reads the history of metrics. Where buckets are as large as blocks, the extents of whole blocks are enough;
 * values are unpacked only at the edges. Otherwise all blocks of the range are unpacked. Both give the same extrema.
 */
import { definedMetrics } from '@espalier/contracts';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { runSql } from '../database/run-sql.js';
import { RunLog } from '../events/run-log.js';
import { Run } from '../runs/run.entity.js';
import { findCuts } from './attempt-cuts.js';
import { type MetricRow, unpackBlock } from './build-blocks.js';
import { type Bucket, mergeBuckets, toBuckets, toLine } from './decimate.js';
import type { MetricBlock } from './metric-block.entity.js';
import type { HistoryRequest } from './metric-request.js';
import { MetricTails } from './metric-tails.js';
import type { MetricName, MetricSeries } from './metric.types.js';

type Extent = Omit<MetricBlock, 'runId' | 'name' | 'packedSteps' | 'packedValues' | 'lastCursor'>;
type Packed = Pick<MetricBlock, 'firstStep' | 'count' | 'packedSteps' | 'packedValues' | 'firstCursor'>;

/** Which values of a series count: a range of steps, and of each attempt those before the next one took over. */
interface Scope {
  readonly fromStep: number;
  readonly toStep: number;
  readonly cuts: (attempt: number) => number;
}

const extentColumns =
  'attempt, "firstCursor", "firstStep", "lastStep", count, numbers, min, "minStep", max, "maxStep", sum';
const overlap = '"runId" = ? AND name = ? AND "lastStep" >= ? AND "firstStep" <= ?';

@Injectable()
export class MetricHistory {
  constructor(
    private readonly log: RunLog,
    private readonly tails: MetricTails,
  ) {}

  /** Reads several metrics of several runs, each decimated to a number of points. */
  async read(request: HistoryRequest): Promise<MetricSeries[]> {
    const series: MetricSeries[] = [];
    for (const runId of new Set(request.runIds)) {
      for (const name of new Set(request.names))
        series.push(await this.log.read((manager) => this.readSeries(manager, runId, name, request)));
    }
    return series;
  }

  /** Lists the metrics of a run by name. */
  async names(runId: string): Promise<MetricName[]> {
    const definitions = new Map(definedMetrics().map((definition) => [definition.name, definition]));
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
          const { unit = null, formula = null } = definitions.get(name) ?? {};
          return { name, unit, formula, latest: run?.latest[name] ?? null, count };
        });
    });
  }

  private async readSeries(
    manager: EntityManager,
    runId: string,
    name: string,
    { fromStep, toStep, points }: HistoryRequest,
  ): Promise<MetricSeries> {
    const scope: Scope = { fromStep, toStep, cuts: await findCuts(manager, runId) };
    const tail = tailOf(await this.tails.of(manager, runId), name, scope);
    const extents = (await readExtents(manager, runId, name, scope)).filter((extent) =>
      touches(extent, scope),
    );
    const wholes = extents.filter((extent) => isWhole(extent, scope)).length;
    const most = Math.max(1, Math.floor(points / 2)); // buckets
    if (wholes > most) {
      const edges = extents.filter((extent) => !isWhole(extent, scope));
      const unpacked = await unpackEdges(manager, runId, name, scope, edges);
      const buckets = extents.flatMap((extent) => unpacked.get(extent.firstCursor) ?? [extent]);
      buckets.push(...toBuckets(tail.steps, tail.values, Math.max(1, tail.steps.length)));
      return toDecimated(runId, name, mergeBuckets(buckets, Math.ceil(buckets.length / most)));
    }
    const all = extents.length === 0 ? tail : join(await unpackAll(manager, runId, name, scope), tail);
    if (all.steps.length > points)
      return toDecimated(runId, name, toBuckets(all.steps, all.values, Math.ceil(all.steps.length / most)));
    const values = all.values.map((value) => (Number.isNaN(value) ? null : value));
    return { runId, name, count: values.length, decimated: false, steps: all.steps, values, buckets: null };
  }
}

interface Values {
  readonly steps: number[];
  readonly values: number[];
}

function isWhole({ attempt, firstStep, lastStep }: Extent, { fromStep, toStep, cuts }: Scope): boolean {
  return firstStep >= fromStep && lastStep <= toStep && lastStep < cuts(attempt);
}

function touches({ attempt, firstStep, lastStep }: Extent, { fromStep, toStep, cuts }: Scope): boolean {
  return lastStep >= fromStep && firstStep <= toStep && firstStep < cuts(attempt);
}

function tailOf(rows: readonly MetricRow[], name: string, { fromStep, toStep, cuts }: Scope): Values {
  const found: Values = { steps: [], values: [] };
  for (const { attempt, step, values } of rows) {
    const value = values[name];
    if (value === undefined || step < fromStep || step > toStep || step >= cuts(attempt)) continue;
    found.steps.push(step);
    found.values.push(value ?? Number.NaN);
  }
  return found;
}

async function readExtents(
  manager: EntityManager,
  runId: string,
  name: string,
  { fromStep, toStep }: Scope,
): Promise<Extent[]> {
  const rows = await runSql<Extent>(
    manager,
    `SELECT ${extentColumns} FROM metric_block WHERE ${overlap} ORDER BY "firstCursor"`,
    [runId, name, fromStep, toStep],
  );
  return rows.map((row) => ({ ...row, firstCursor: Number(row.firstCursor) }));
}

async function readPacked(
  manager: EntityManager,
  runId: string,
  name: string,
  { fromStep, toStep }: Scope,
  more = '',
  values: readonly unknown[] = [],
): Promise<(Packed & { attempt: number })[]> {
  return runSql(
    manager,
    `SELECT attempt, "firstCursor", "firstStep", count, "packedSteps", "packedValues" FROM metric_block
     WHERE ${overlap} ${more} ORDER BY "firstCursor"`,
    [runId, name, fromStep, toStep, ...values],
  );
}

function unpackInto(found: Values, block: Packed & { attempt: number }, scope: Scope): void {
  const { steps, values } = unpackBlock(block);
  const end = Math.min(scope.toStep + 1, scope.cuts(block.attempt));
  for (let index = 0; index < steps.length; index += 1) {
    const step = steps[index] as number;
    if (step < scope.fromStep || step >= end) continue;
    found.steps.push(step);
    found.values.push(values[index] as number);
  }
}

async function unpackAll(manager: EntityManager, runId: string, name: string, scope: Scope): Promise<Values> {
  const found: Values = { steps: [], values: [] };
  for (const block of await readPacked(manager, runId, name, scope)) unpackInto(found, block, scope);
  return found;
}

/** One bucket for each block that is only partly in the range; none where nothing of it is. */
async function unpackEdges(
  manager: EntityManager,
  runId: string,
  name: string,
  scope: Scope,
  edges: readonly Extent[],
): Promise<Map<number, Bucket[]>> {
  const buckets = new Map<number, Bucket[]>();
  for (const { firstCursor } of edges) {
    const found: Values = { steps: [], values: [] };
    const more = 'AND "firstCursor" = ?';
    for (const block of await readPacked(manager, runId, name, scope, more, [firstCursor]))
      unpackInto(found, block, scope);
    buckets.set(firstCursor, toBuckets(found.steps, found.values, Math.max(1, found.steps.length)));
  }
  return buckets;
}

function join(a: Values, b: Values): Values {
  return { steps: a.steps.concat(b.steps), values: a.values.concat(b.values) };
}

function toDecimated(runId: string, name: string, buckets: readonly Bucket[]): MetricSeries {
  return {
    ...{ runId, name, decimated: true, ...toLine(buckets) },
    count: buckets.reduce((sum, { count }) => sum + count, 0),
    buckets: {
      firstSteps: buckets.map(({ firstStep }) => firstStep),
      lastSteps: buckets.map(({ lastStep }) => lastStep),
      counts: buckets.map(({ count }) => count),
      min: buckets.map(({ min }) => min),
      max: buckets.map(({ max }) => max),
      mean: buckets.map(({ sum, numbers }) => (numbers === 0 ? null : sum / numbers)),
    },
  };
}
