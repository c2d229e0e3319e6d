/** @file The metrics of one run: history once, then every row as it is pushed. */
import { useQuery, useQueryClient } from '@tanstack/react-query';
import type { Client } from '@espalier/client';
import type { MetricFacts } from '../charts/about.js';
import { isShown } from '../charts/panels.js';
import { addRows, type RunMetrics, type Series } from '../charts/series.js';
import { useSession } from '../session/session-context.js';
import { useLive } from './use-live.js';

/** Points of a series at most; longer ones are decimated by the server without losing an extremum. */
const points = 1000;

async function readMetrics(client: Client, runId: string, names: readonly string[]): Promise<RunMetrics> {
  // before the history, so that what is stored meanwhile is pushed, not lost
  const { items } = await client.runs.list({ ids: [runId] });
  const shown = names.filter(isShown);
  const history = shown.length === 0 ? [] : await client.metrics.history([runId], shown, { points });
  const series: Record<string, Series> = {};
  const times: Record<number, number> = {};
  let lastStep = -1;
  history.forEach((one) => {
    if (one === null) return;
    const steps = one.steps.map(Number);
    series[one.name] = { steps, values: one.values, isDecimated: one.decimated };
    lastStep = Math.max(lastStep, steps.at(-1) ?? -1);
    steps.forEach((step, at) => {
      const time = one.times[at];
      if (typeof time === 'number') times[step] = time;
    });
  });
  return { cursor: items[0]?.head ?? 0, attempt: 0, lastStep, series, times };
}

export function useRunMetrics(runId: string) {
  const { client } = useSession();
  const queries = useQueryClient();
  const names = useQuery({
    queryKey: ['metric-names', runId],
    queryFn: () => client.metrics.names(runId),
  });
  const metrics = useQuery({
    queryKey: ['metrics', runId],
    queryFn: () => readMetrics(client, runId, names.data?.map(({ name }) => name) ?? []),
    enabled: names.data !== undefined,
    staleTime: Infinity,
  });
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
