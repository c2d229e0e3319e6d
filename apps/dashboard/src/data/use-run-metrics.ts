/** @file The metrics of one run: history once, then every row as it is pushed; a range of steps more finely. */
import { type QueryClient, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useMemo } from 'react';
import type { Client, MetricSeries } from '@espalier/client';
import type { MetricFacts } from '../charts/about.js';
import { isShown, isStackedPart } from '../charts/panels.js';
import { addRows, isTimed, type Means, type RunMetrics, type Series } from '../charts/series.js';
import type { Range } from '../routing/run-filter.js';
import { useSession } from '../session/session-context.js';
import { readLines } from './read-lines.js';
import { useLive } from './use-live.js';

/** Points of a series at most; longer ones are decimated by the server without losing an extremum. */
const points = 1000;
/** of parts of a whole, whose means over the same steps are asked for besides: two points for each mean */
const pointsOfParts = 400;

const namesOf = (client: Client, runId: string) => ({
  queryKey: ['metric-names', runId],
  queryFn: () => client.metrics.names(runId),
});

const metricsOf = (client: Client, queries: QueryClient, runId: string) => ({
  queryKey: ['metrics', runId],
  queryFn: () => readMetrics(client, queries, runId),
  staleTime: Infinity,
});

async function readMetrics(client: Client, queries: QueryClient, runId: string): Promise<RunMetrics> {
  // before the history, so that what is stored meanwhile is pushed, not lost
  const [{ items }, names] = await Promise.all([
    client.runs.list({ ids: [runId] }),
    queries.fetchQuery(namesOf(client, runId)),
  ]);
  const shown = names.filter(({ name }) => isShown(name));
  const isLong = shown.some(({ name, count }) => isStackedPart(name) && count > points);
  const series = await readSeries(
    client,
    runId,
    shown.map(({ name }) => name),
    isLong,
  );
  const lastStep = Math.max(-1, ...Object.values(series).map(({ steps }) => steps.at(-1) ?? -1));
  return { cursor: items[0]?.head ?? 0, attempt: 0, lastStep, series };
}

async function readSeries(
  client: Client,
  runId: string,
  names: readonly string[],
  isLong: boolean,
  part?: Range,
): Promise<Record<string, Series>> {
  const options = { points, ...(part !== undefined && { fromStep: part.from, toStep: part.to }) };
  const [timed, others] = [names.filter(isTimed), names.filter((name) => !isTimed(name))];
  const parts = isLong ? names.filter(isStackedPart) : [];
  const read = (
    some: readonly string[],
    more: Partial<typeof options & { times: boolean; buckets: boolean }>,
  ) => (some.length === 0 ? [] : readLines(client, [runId], some, { ...options, ...more }));
  const [summed, ...history] = await Promise.all([
    read(parts, { points: pointsOfParts, buckets: true }),
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

/**
 * The same metrics, with more points in a range of steps where there were too many to read all.
 *
 * @param range undefined: as they are
 */
export function useFinerMetrics(
  runId: string,
  metrics: RunMetrics | undefined,
  range: Range | undefined,
): RunMetrics | undefined {
  const { client } = useSession();
  const names = useMemo(
    () => Object.entries(metrics?.series ?? {}).flatMap(([name, one]) => (one.isDecimated ? [name] : [])),
    [metrics],
  );
  const { data: finer } = useQuery({
    queryKey: ['finer-metrics', runId, range?.from, range?.to, names],
    meta: { what: 'more points of the chosen steps' },
    queryFn: () => readSeries(client, runId, names, true, range),
    enabled: range !== undefined && names.length > 0,
  });
  return useMemo(
    () =>
      metrics === undefined || finer === undefined || range === undefined
        ? metrics
        : { ...metrics, series: { ...metrics.series, ...withNewer(finer, metrics.series) } },
    [metrics, finer, range],
  );
}

/** What was read more finely, and after it what was pushed since. */
function withNewer(
  finer: Readonly<Record<string, Series>>,
  known: Readonly<Record<string, Series>>,
): Record<string, Series> {
  return Object.fromEntries(
    Object.entries(finer).map(([name, read]): [string, Series] => {
      const whole = known[name];
      const last = read.steps.at(-1) ?? -1;
      const at = whole?.steps.findIndex((step) => step > last) ?? -1;
      if (whole === undefined || at < 0) return [name, read];
      return [
        name,
        {
          steps: [...read.steps, ...whole.steps.slice(at)],
          values: [...read.values, ...whole.values.slice(at)],
          times: [...read.times, ...whole.times.slice(at)],
          isDecimated: read.isDecimated,
          means: read.means,
        },
      ];
    }),
  );
}

/** Asks for the metrics of a run that is about to be shown, beside what else is asked for. */
export function usePrefetchedMetrics(runId: string, isWanted: boolean): void {
  const { client } = useSession();
  const queries = useQueryClient();
  useEffect(() => {
    if (isWanted) void queries.prefetchQuery(metricsOf(client, queries, runId));
  }, [client, queries, runId, isWanted]);
}

/** What a run reports; undefined: not read yet. */
export function useMetricNames(runId: string): readonly string[] | undefined {
  const { client } = useSession();
  const { data } = useQuery(namesOf(client, runId));
  return useMemo(() => data?.map(({ name }) => name), [data]);
}

export function useRunMetrics(runId: string) {
  const { client } = useSession();
  const queries = useQueryClient();
  const names = useQuery(namesOf(client, runId));
  const metrics = useQuery(metricsOf(client, queries, runId));
  const start = metrics.data?.cursor;
  useLive(
    start === undefined ? undefined : runId,
    () => client.live.metrics([{ runId, after: metrics.data?.cursor ?? 0 }]),
    (batch) => {
      queries.setQueryData(['metrics', runId], (old: RunMetrics | undefined) => {
        if (old === undefined) return old;
        const series = batch.series.filter(({ name }) => isShown(name));
        return addRows(old, { ...batch, series });
      });
      const known = queries.getQueryData<readonly MetricFacts[]>(['metric-names', runId]) ?? [];
      if (batch.series.some(({ name }) => !known.some((one) => one.name === name)))
        void queries.invalidateQueries({ queryKey: ['metric-names', runId] });
    },
  );
  return { names, metrics };
}
