/** @file Reads the history of a run's metrics, as it counts now. */
import type { Client, MetricSeries, RunDetails } from '@espalier/client';
import { isShown, isAveraged } from '../charts/panels.js';
import { isTimed, type Means, type RunMetrics, type Series } from '../charts/series.js';
import { attemptsOf } from './attempts-of.js';
import { readLines } from './read-lines.js';

/** Points of a series at most; longer ones are decimated by the server without losing an extremum. */
const points = 1000;
/** of those whose means are asked for besides: two points for each mean */
const pointsOfMeans = 400;

/**
 * Reads the metrics that the page draws, without what later attempts did again.
 *
 * @param run   as it was before this call, so that what is stored meanwhile is pushed, not lost
 * @param names of its metrics, with how many values each has
 */
export async function readMetrics(
  client: Client,
  run: Pick<RunDetails, 'id' | 'head' | 'jobs' | 'attempts'>,
  names: readonly { readonly name: string; readonly count: number }[],
): Promise<RunMetrics> {
  const shown = names.filter(({ name }) => isShown(name));
  const isLong = shown.some(({ name, count }) => isAveraged(name) && count > points);
  const series = await readSeries(
    client,
    run.id,
    shown.map(({ name }) => name),
    isLong,
  );
  const lastStep = Math.max(-1, ...Object.values(series).map(({ steps }) => steps.at(-1) ?? -1));
  // one that has not begun yet takes nothing back
  const begun = attemptsOf(run).filter(({ startStep, step }) => startStep !== null || step !== null);
  const attempt = Math.max(0, ...begun.map(({ number }) => number));
  return { cursor: run.head, attempt, lastStep, series };
}

/**
 * Reads metrics: those of times with them, and the means of long ones that are told by means.
 *
 * @param isLong whether one of them may be long
 * @param part   only these steps
 */
export async function readSeries(
  client: Client,
  runId: string,
  names: readonly string[],
  isLong: boolean,
  part?: { readonly from: number; readonly to: number },
): Promise<Record<string, Series>> {
  const options = { points, ...(part !== undefined && { fromStep: part.from, toStep: part.to }) };
  const [timed, others] = [names.filter(isTimed), names.filter((name) => !isTimed(name))];
  const averaged = isLong ? names.filter(isAveraged) : [];
  const read = (
    some: readonly string[],
    more: Partial<typeof options & { times: boolean; buckets: boolean }>,
  ) => (some.length === 0 ? [] : readLines(client, [runId], some, { ...options, ...more }));
  const [summed, ...history] = await Promise.all([
    read(averaged, { points: pointsOfMeans, buckets: true }),
    read(timed, { times: true }),
    read(others, {}),
  ]);
  const means = new Map(summed.flatMap((one) => (one === null ? [] : [[one.name, meansOf(one)] as const])));
  const series: Record<string, Series> = {};
  for (const one of history.flat())
    if (one !== null)
      series[one.name] = {
        steps: one.steps.map(Number),
        values: one.values,
        times: (one.times ?? []).map((time) => (time === null ? null : Number(time))),
        isDecimated: one.decimated,
        ...(one.decimated && { means: means.get(one.name) }),
      };
  return series;
}

function meansOf({ buckets }: MetricSeries): Means | undefined {
  if (!buckets) return undefined;
  const lastSteps = buckets.lastSteps.map(Number);
  return {
    firstSteps: buckets.firstSteps.map(Number),
    lastSteps,
    counts: buckets.counts.map(Number),
    values: buckets.mean,
    to: lastSteps.at(-1) ?? -1,
  };
}
