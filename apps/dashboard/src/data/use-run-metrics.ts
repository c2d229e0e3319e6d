/** @file The metrics of one run: history once, then every row as it is pushed; a range of steps more finely. */
import { type QueryClient, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useMemo } from 'react';
import type { Client } from '@espalier/client';
import type { MetricFacts } from '../charts/about.js';
import { isShown } from '../charts/panels.js';
import { addRows, type RunMetrics, type Series } from '../charts/series.js';
import type { Range } from '../routing/run-filter.js';
import { useSession } from '../session/session-context.js';
import { readMetrics, readSeries } from './read-metrics.js';
import { useLive } from './use-live.js';

const namesOf = (client: Client, runId: string) => ({
  queryKey: ['metric-names', runId],
  queryFn: () => client.metrics.names(runId),
});

const metricsOf = (client: Client, queries: QueryClient, runId: string) => ({
  queryKey: ['metrics', runId],
  queryFn: async () => {
    // the run is what its page asks for, too
    const [run, names] = await Promise.all([
      queries.fetchQuery({
        queryKey: ['run', runId],
        queryFn: () => client.runs.get(runId),
        staleTime: 0,
      }),
      queries.fetchQuery(namesOf(client, runId)),
    ]);
    return readMetrics(client, run, names);
  },
  staleTime: Infinity,
});

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
    queryKey: ['finer-metrics', runId, metrics?.attempt, range?.from, range?.to, names],
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
  useLive(
    metrics.data === undefined ? undefined : `${runId} ${metrics.data.attempt}`,
    () => client.live.metrics([{ runId, after: metrics.data?.cursor ?? 0 }]),
    (batch) => {
      const series = batch.series.filter(({ name }) => isShown(name));
      const old = queries.getQueryData<RunMetrics>(['metrics', runId]);
      const next = old && addRows(old, { ...batch, series });
      if (next !== undefined) queries.setQueryData(['metrics', runId], next);
      else void queries.invalidateQueries({ queryKey: ['metrics', runId] }, { cancelRefetch: false });
      const known = queries.getQueryData<readonly MetricFacts[]>(['metric-names', runId]) ?? [];
      if (batch.series.some(({ name }) => !known.some((one) => one.name === name)))
        void queries.invalidateQueries({ queryKey: ['metric-names', runId] });
    },
  );
  return { names, metrics };
}
