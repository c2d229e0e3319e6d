/** @file Reads the metrics of several runs and puts them side by side. */
import { AppError } from '@espalier/contracts';
import { Injectable } from '@nestjs/common';
import { type EntityManager, In } from 'typeorm';
import type { Caller } from '../access/caller.js';
import { RunLog } from '../database/run-log.js';
import { groupRows } from '../database/batch-loader.js';
import { limitConcurrency } from '../database/limit-concurrency.js';
import { Attempt } from '../database/entities/attempt.js';
import { unpackBlock } from '../history/metrics/build-blocks.js';
import { MetricBlock } from '../database/entities/metric-block.js';
import { MetricTails } from '../history/metrics/metric-tails.js';
import { diffSpecs, seedlessKey, spreadOf, summarizeMetric } from './compare-runs.js';
import type { GroupMetric, MetricComparison, RunComparison, RunMetric } from './comparison.type.js';
import { validateMetricNames } from './validate-metric-names.js';
import { RunQueries } from './run-queries.service.js';
import { lastStepBefore } from '../history/metrics/last-steps.js';
import type { Run } from '../database/entities/run.js';

const maxRuns = 50;
const maxMetrics = 200;
/** values that cost as much as a plain field of GraphQL */
const valuesPerCost = 100;

/** Values of metrics by name, steps ascending. */
type Series = Map<string, Map<number, { attempt: number; value: number }>>;

@Injectable()
export class RunComparisons {
  constructor(
    private readonly queries: RunQueries,
    private readonly log: RunLog,
    private readonly tails: MetricTails,
  ) {}

  /**
   * Compares runs.
   *
   * @param names metrics, of which each must be known to one of the runs; default: all that they have, at most 200
   * @param k values that `tailMean` is over
   * @param spend called with the cost of reading the values before they are read; throws when the caller's budget is spent
   * @throws run.invalid_request, server.not_found, and what `spend` throws
   */
  async compare(
    caller: Caller,
    ids: readonly string[],
    names: readonly string[] | undefined,
    k: number,
    spend: (cost: number) => void,
  ): Promise<RunComparison> {
    requireCounts(ids, names, k);
    const runs: Run[] = [];
    for (const id of new Set(ids)) runs.push(await this.queries.find(caller, id));
    const known = new Set(runs.flatMap(({ latest }) => Object.keys(latest)));
    validateMetricNames(names ?? [], known);
    const wanted = [...new Set(names ?? known)].sort();
    const metrics = wanted.slice(0, maxMetrics);
    spend((await this.countValues(runs, metrics)) / valuesPerCost);
    const summaries = new Map<string, RunMetric[]>(metrics.map((name) => [name, []]));
    for (const run of runs) {
      const series = await limitConcurrency(() =>
        this.log.read((manager) => this.read(manager, run.id, metrics)),
      );
      for (const [name, points] of series) {
        const steps = [...points.keys()].sort((a, b) => a - b);
        const values = steps.map((step) => points.get(step)?.value ?? Number.NaN);
        summaries.get(name)?.push({ runId: run.id, ...summarizeMetric(steps, values, k) });
      }
    }
    const groups = [...groupRows(runs, ({ spec }) => seedlessKey(spec)).values()];
    return {
      runs,
      differences: diffSpecs(runs.map(({ spec }) => spec)),
      groups: groups.map((members) => ({
        runIds: members.map(({ id }) => id),
        seeds: members.map(({ spec }) => Number(spec['seed'] ?? 0)),
      })),
      metrics: metrics.map((name) => toComparison(name, summaries.get(name) ?? [], groups)),
    };
  }

  /** Those in blocks; of each run some 256 rows more are in none yet. */
  private async countValues(runs: readonly Run[], names: readonly string[]): Promise<number> {
    if (names.length === 0) return 0;
    const found = await this.log.read((manager) =>
      manager.sum(MetricBlock, 'count', { runId: In(runs.map(({ id }) => id)), name: In([...names]) }),
    );
    return Number(found ?? 0);
  }

  /** Leaves out the steps that later attempts repeated. */
  private async read(manager: EntityManager, runId: string, names: readonly string[]): Promise<Series> {
    const attempts = await manager.find(Attempt, {
      where: { runId },
      select: { number: true, startStep: true },
    });
    const isStale = (attempt: number, step: number): boolean =>
      attempts.some(
        ({ number, startStep }) => number > attempt && startStep !== null && step > lastStepBefore(startStep),
      );
    const series: Series = new Map();
    const add = (name: string, attempt: number, step: number, value: number): void => {
      if (isStale(attempt, step)) return;
      const points = series.get(name) ?? new Map<number, { attempt: number; value: number }>();
      series.set(name, points);
      if ((points.get(step)?.attempt ?? 0) <= attempt) points.set(step, { attempt, value });
    };
    if (names.length === 0) return series;
    const blocks = await manager.find(MetricBlock, { where: { runId, name: In([...names]) } });
    for (const block of blocks) {
      const { steps, values } = unpackBlock(block);
      steps.forEach((step, index) => add(block.name, block.attempt, step, values[index] ?? Number.NaN));
    }
    for (const { attempt, step, values } of await this.tails.of(manager, runId))
      for (const name of names)
        if (Object.hasOwn(values, name)) add(name, attempt, step, values[name] ?? Number.NaN);
    return series;
  }
}

function toComparison(
  name: string,
  runs: RunMetric[],
  groups: readonly (readonly Run[])[],
): MetricComparison {
  const compared = groups.map((members, group): GroupMetric => {
    const ids = new Set(members.map(({ id }) => id));
    const own = runs.filter(({ runId }) => ids.has(runId));
    return {
      group,
      last: spreadOf(own.map(({ last }) => last)),
      tailMean: spreadOf(own.map((run) => run.tailMean)),
      max: spreadOf(own.map(({ max }) => max)),
      min: spreadOf(own.map(({ min }) => min)),
    };
  });
  return { name, runs, groups: compared };
}

function requireCounts(ids: readonly string[], names: readonly string[] | undefined, k: number): void {
  const flaw =
    ids.length < 1 || ids.length > maxRuns
      ? `${ids.length} runs; name 1 to ${maxRuns}`
      : (names?.length ?? 0) > maxMetrics
        ? `${names?.length} metrics; name at most ${maxMetrics}`
        : !Number.isInteger(k) || k < 1
          ? `the last ${k} values; name a whole number from 1`
          : undefined;
  if (flaw !== undefined) throw new AppError('run.invalid_request', `compare runs: ${flaw}`);
}
