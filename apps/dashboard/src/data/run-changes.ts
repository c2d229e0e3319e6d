/** @file Every change of a run that the server pushes is put into what was read of it, in all views. */
import type { Run } from '@espalier/client';
import { type InfiniteData, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { useSession } from '../session/session-context.js';
import type { RunRow } from './types.js';
import { useLive } from './use-live.js';

interface RunsPageData {
  readonly items: readonly RunRow[];
}

/** Puts a changed run into a list; what is not pushed of it stays. */
function mergeRun(data: InfiniteData<RunsPageData>, run: Run): InfiniteData<RunsPageData> {
  const pages = data.pages.map((page) => ({
    ...page,
    items: page.items.map((row) => (row.id === run.id ? { ...row, ...run } : row)),
  }));
  return { ...data, pages };
}

/** ms; still: no run that is listed goes on */
const again = { live: 10_000, still: 30_000 };

/** Reads the lists of runs again and again: nothing is pushed of the time left, of devices and of a run that was deleted. */
export function useRunsAgain(isLive: boolean): void {
  const queries = useQueryClient();
  useEffect(() => {
    // an interval of the query itself begins anew with each row that is pushed, and never comes to its end
    const read = (): void => void queries.invalidateQueries({ queryKey: ['runs'] });
    const timer = window.setInterval(read, isLive ? again.live : again.still);
    return () => window.clearInterval(timer);
  }, [queries, isLive]);
}

/** Follows all runs that the key sees. */
export function useRunChanges(): void {
  const { client } = useSession();
  const queries = useQueryClient();
  const timer = useRef<number>();
  useLive(
    'runs',
    () => client.runs.changes(),
    (run) => {
      let isSettled = false;
      for (const [key, data] of queries.getQueriesData<InfiniteData<RunsPageData>>({ queryKey: ['runs'] })) {
        if (data === undefined) continue;
        const row = data.pages.flatMap(({ items }) => items).find(({ id }) => id === run.id);
        if (row === undefined) continue;
        isSettled ||= row.state === run.state;
        queries.setQueryData(key, mergeRun(data, run));
      }
      queries.setQueryData(['run', run.id], (old: object | undefined) => old && { ...old, ...run });
      if (isSettled) return;
      // one that is new or hidden by a filter, or has another state: read the list again, but not for each of many
      window.clearTimeout(timer.current);
      timer.current = window.setTimeout(() => void queries.invalidateQueries({ queryKey: ['runs'] }), 400);
    },
  );
}
