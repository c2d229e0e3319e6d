/** @file What the view of comparisons reads: the runs, their numbers, the curves of groups or runs. */
import type { MetricSeries, Run } from '@espalier/client';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { isLive } from '../data/run-states.js';
import { readLines } from '../data/read-lines.js';
import { readAll } from '../data/use-pages.js';
import { useSession } from '../session/session-context.js';
import { sampledTokens, toLines } from './run-lines.js';
import { mostRuns, type Selection } from './selection.js';

/** places of a curve */
const points = 300;
/** as many as one call of the history has */
const mostSeries = 400;

/** how often numbers are read again while a run is live, and which runs there are, ms */
const again = 10_000;
const runsAgain = 30_000;

/** The runs of a selection, newest first, as many as are compared; and whether there are more. */
export function useChosenRuns({ filter }: Selection) {
  const { client } = useSession();
  return useQuery({
    queryKey: ['compared-runs', filter],
    queryFn: async () => {
      const list = readAll((page) => client.runs.list(filter ?? {}, page), mostRuns, mostRuns);
      const { items: runs, isCut } = await list;
      return { runs, isCut };
    },
    enabled: filter !== undefined,
    // neither one that fits since nor one that was deleted is pushed
    refetchInterval: runsAgain,
    placeholderData: (old) => old,
  });
}

/** The numbers of all chosen runs one by one: what brushes, scatter and differences are made of. */
export function useNumbers(runs: readonly Run[], metrics: readonly string[], { from, to }: Selection) {
  const { client } = useSession();
  const ids = useMemo(() => runs.map(({ id }) => id), [runs]);
  return useQuery({
    queryKey: ['compared-numbers', ids, metrics, from, to],
    queryFn: () => client.runs.compare(ids, { metrics, fromStep: from, toStep: to }),
    enabled: ids.length > 0,
    refetchInterval: isLive(runs) ? again : false,
    placeholderData: (old) => old,
  });
}

/** The runs within the brushes, in groups with curves. */
export function useGroups(
  runs: readonly Run[],
  metrics: readonly string[],
  selection: Selection,
  isWanted: boolean,
) {
  const { client } = useSession();
  const { by, axis, from, to } = selection;
  const ids = useMemo(() => runs.map(({ id }) => id), [runs]);
  return useQuery({
    queryKey: ['compared-groups', ids, metrics, by, axis, from, to],
    queryFn: () =>
      client.runs.compare(ids, {
        metrics,
        ...(by !== undefined && { by }),
        axis,
        points,
        fromStep: from,
        toStep: to,
      }),
    enabled: isWanted && ids.length > 0,
    refetchInterval: isLive(runs) ? again : false,
    placeholderData: (old) => old,
  });
}

/** Each run by itself, by metric; at most so many points that no extremum is lost. */
export function useRunLines(
  runs: readonly Run[],
  metrics: readonly string[],
  { axis, from, to, show }: Selection,
  groupOf: (id: string) => number,
  nameOf: (id: string) => string,
) {
  const { client } = useSession();
  const ids = useMemo(() => runs.map(({ id }) => id), [runs]);
  const history = useQuery({
    queryKey: ['compared-history', ids, metrics, axis, from, to],
    queryFn: async () => {
      const names = axis === 'tokens' ? [...new Set([...metrics, sampledTokens])] : metrics;
      const size = Math.max(1, Math.min(100, Math.floor(mostSeries / names.length)));
      const range = {
        points,
        times: axis === 'seconds',
        ...(from !== undefined && { fromStep: from }),
        ...(to !== undefined && { toStep: to }),
      };
      const parts: Promise<readonly (MetricSeries | null)[]>[] = [];
      for (let at = 0; at < ids.length; at += size)
        parts.push(readLines(client, ids.slice(at, at + size), names, range));
      return (await Promise.all(parts)).flat();
    },
    enabled: show === 'runs' && ids.length > 0,
    refetchInterval: isLive(runs) ? again : false,
    placeholderData: (old) => old,
  });
  const lines = useMemo(
    () => (history.data === undefined ? undefined : toLines(history.data, axis, groupOf, nameOf)),
    [history.data, axis, groupOf, nameOf],
  );
  return { lines, error: history.error, retry: () => history.refetch() };
}
