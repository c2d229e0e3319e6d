/** @file Compares the specs and metrics of several runs. */
import { Injectable } from '@nestjs/common';
import { In } from 'typeorm';
import type { Caller } from '../../access/caller.js';
import { RunLog } from '../../database/run-log.js';
import { groupRows } from '../../database/batch-loader.js';
import { limitConcurrency } from '../../database/limit-concurrency.js';
import { MetricBlock } from '../../database/entities/metric-block.js';
import { MetricTails } from '../../history/metrics/metric-tails.js';
import { diffSpecs, seedlessKey, spreadOf, summarizeMetric } from './compare-runs.js';
import type { GroupMetric, MetricComparison, RunComparison, RunMetric } from './comparison.js';
import { validateMetricNames } from './validate-metric-names.js';
import { RunQueries } from '../run-queries.service.js';
import { readWholeSeries } from '../../history/metrics/whole-series.js';
import type { Run } from '../../database/entities/run.js';

const maxMetrics = 200;
/** reading so many values costs as much as a plain field of GraphQL */
const valuesPerCost = 100;

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
   * @param names metrics, each of which one of the runs must have; default: all, at most 200
   * @param k number of values that `tailMean` covers
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
    const runs: Run[] = [];
    for (const id of new Set(ids)) runs.push(await this.queries.find(caller, id));
    const known = new Set(runs.flatMap(({ latest }) => Object.keys(latest)));
    validateMetricNames(names ?? [], known);
    const metrics = [...new Set(names ?? known)].sort().slice(0, maxMetrics);
    spend((await this.countValues(runs, metrics)) / valuesPerCost);
    const summaries = new Map<string, RunMetric[]>(metrics.map((name) => [name, []]));
    for (const run of runs) {
      const series = await limitConcurrency(() =>
        this.log.read((manager) => readWholeSeries(manager, this.tails, { runId: run.id, names: metrics })),
      );
      for (const [name, { steps, values }] of series)
        if (steps.length > 0)
          summaries.get(name)?.push({ runId: run.id, ...summarizeMetric(steps, values, k) });
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

  /** Counts the values in blocks; up to 256 rows of each run are in none yet. */
  private async countValues(runs: readonly Run[], names: readonly string[]): Promise<number> {
    if (names.length === 0) return 0;
    const found = await this.log.read((manager) =>
      manager.sum(MetricBlock, 'count', { runId: In(runs.map(({ id }) => id)), name: In([...names]) }),
    );
    return Number(found ?? 0);
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
