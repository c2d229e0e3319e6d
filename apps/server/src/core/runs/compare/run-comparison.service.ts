/** @file Compares the specs and metrics of several runs, one by one and in groups. */
import { Injectable } from '@nestjs/common';
import { In } from 'typeorm';
import { canonicalJson } from '@espalier/config/plain';
import { ledgerMetrics } from '@espalier/report/ledger';
import type { Caller } from '../../access/caller.js';
import { RunLog } from '../../database/run-log.js';
import { groupRows } from '../../database/batch-loader.js';
import { limitConcurrency } from '../../database/limit-concurrency.js';
import { MetricBlock } from '../../database/entities/metric-block.js';
import { MetricTails } from '../../history/metrics/metric-tails.js';
import type { SeriesValues } from '../../history/metrics/series-values.js';
import { diffSpecs, seedlessKey, spreadOf, summarizeMetric, valuesOf } from './compare-runs.js';
import type { GroupMetric, MetricComparison, RunComparison, RunLedger, RunMetric } from './comparison.js';
import { type Aligned, alignByInterpolation, alignSteps, type AxisSeries, curveOf } from './group-curves.js';
import { toLedger } from './run-ledger.js';
import { validateMetricNames } from './validate-metric-names.js';
import { RunQueries } from '../run-queries.service.js';
import type { Comparison } from '../run-request.js';
import { readWholeSeries } from '../../history/metrics/whole-series.js';
import type { Run } from '../../database/entities/run.js';

/** reading so many values costs as much as a plain field of GraphQL */
const valuesPerCost = 100;
const tokens = 'total/sampled_tokens';

/** A metric of a run. */
interface ReadMetric {
  readonly summary: RunMetric;
  /** undefined: no curves are asked for */
  readonly along: AxisSeries | undefined;
}

@Injectable()
export class RunComparisons {
  constructor(
    private readonly queries: RunQueries,
    private readonly log: RunLog,
    private readonly tails: MetricTails,
  ) {}

  /**
   * Compares runs by metrics, each of which one of the runs must have; default: all they have. An empty list is none.
   *
   * @param spend called with the cost of metrics that are not named, and with that of reading the values before they are
   *   read; throws when the caller's budget is spent
   * @throws server.invalid_input, server.not_found, and what `spend` throws
   */
  async compare(
    caller: Caller,
    { id: ids, metric: names, by, ledger, ...request }: Comparison,
    spend: (cost: number) => void,
  ): Promise<RunComparison> {
    const runs = await this.queries.findAll(caller, ids);
    const known = new Set(runs.flatMap(({ latest }) => Object.keys(latest)));
    validateMetricNames(names ?? [], known);
    const metrics = [...new Set(names ?? known)].sort();
    // named ones are counted with the request
    if (names === undefined) spend(runs.length * metrics.length);
    const values = await this.countValues(runs, metrics);
    const ofLedgers = ledger ? await this.countValues(runs, ledgerMetrics) : 0;
    spend((values + ofLedgers) / valuesPerCost);
    const read = new Map<string, ReadMetric[]>(metrics.map((name) => [name, []]));
    for (const run of runs)
      for (const [name, metric] of await this.readRun(run.id, metrics, request)) read.get(name)?.push(metric);
    const keyOf = ({ spec }: Run): string =>
      by === undefined ? seedlessKey(spec) : canonicalJson(valuesOf(spec, by));
    const groups = [...groupRows(runs, keyOf).values()];
    return {
      runs,
      differences: diffSpecs(runs.map(({ spec }) => spec)),
      groups: groups.map((members) => ({
        runIds: members.map(({ id }) => id),
        seeds: members.map(({ spec }) => Number(spec['seed'] ?? 0)),
        values: valuesOf(members[0]?.spec ?? {}, by ?? []),
      })),
      metrics: metrics.map((name) => toComparison(name, read.get(name) ?? [], groups, request)),
      ledgers: ledger ? await this.readLedgers(runs) : null,
    };
  }

  private async readLedgers(runs: readonly Run[]): Promise<RunLedger[]> {
    const ledgers: RunLedger[] = [];
    for (const { id: runId } of runs) {
      const series = await limitConcurrency(() =>
        this.log.read((manager) => readWholeSeries(manager, this.tails, { runId, names: ledgerMetrics })),
      );
      const ledger = toLedger(runId, series);
      if (ledger !== undefined) ledgers.push(ledger);
    }
    return ledgers;
  }

  private async readRun(
    runId: string,
    metrics: readonly string[],
    {
      last,
      axis,
      points,
      fromStep,
      toStep,
    }: Pick<Comparison, 'last' | 'axis' | 'points' | 'fromStep' | 'toStep'>,
  ): Promise<Map<string, ReadMetric>> {
    const names = points > 0 && axis === 'tokens' ? [...new Set([...metrics, tokens])] : metrics;
    const series = await limitConcurrency(() =>
      this.log.read((manager) => readWholeSeries(manager, this.tails, { runId, names, fromStep, toStep })),
    );
    const begin = Math.min(...[...series.values()].map(({ times }) => times[0] ?? Infinity));
    const found = new Map<string, ReadMetric>();
    for (const name of metrics) {
      const own = series.get(name);
      if (own === undefined || own.steps.length === 0) continue;
      const summary = { runId, ...summarizeMetric(own.steps, own.values, last) };
      const x = points > 0 ? placesOf(own, axis, begin, series.get(tokens)) : undefined;
      found.set(name, { summary, along: x && { x, values: own.values } });
    }
    return found;
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

/** Where the values of a series lie on an axis. */
function placesOf(
  { steps, times }: SeriesValues,
  axis: Comparison['axis'],
  begin: number,
  sampled: SeriesValues | undefined,
): ArrayLike<number> {
  if (axis === 'step') return steps;
  if (axis === 'seconds') return times.map((time) => (time - begin) / 1000);
  const bySteps = new Map(Array.from(sampled?.steps ?? [], (step, at) => [step, sampled?.values[at]]));
  // the start is validated before anything is sampled
  return Array.from(steps, (step) => bySteps.get(step) ?? (step === 0 ? 0 : Number.NaN));
}

function toComparison(
  name: string,
  read: readonly ReadMetric[],
  groups: readonly (readonly Run[])[],
  { axis, points }: Pick<Comparison, 'axis' | 'points'>,
): MetricComparison {
  const series = read.flatMap(({ along }) => along ?? []);
  const align = axis === 'step' ? alignSteps : alignByInterpolation;
  const aligned: Aligned = points > 0 ? align(series, points) : { x: [], runs: [] };
  const compared = groups.map((members, group): GroupMetric => {
    const ids = new Set(members.map(({ id }) => id));
    const own = read.filter(({ summary }) => ids.has(summary.runId)).map(({ summary }) => summary);
    const lines = aligned.runs.filter((_, at) => ids.has(read[at]?.summary.runId ?? ''));
    return {
      group,
      last: spreadOf(own.map(({ last }) => last)),
      tailMean: spreadOf(own.map((run) => run.tailMean)),
      max: spreadOf(own.map(({ max }) => max)),
      min: spreadOf(own.map(({ min }) => min)),
      curve: points > 0 ? curveOf(lines, aligned.x.length) : null,
    };
  });
  return { name, x: [...aligned.x], runs: read.map(({ summary }) => summary), groups: compared };
}
