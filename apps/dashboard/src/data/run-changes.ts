/** @file Every change of a run that the server pushes is put into what was read of it, in all views. */
import type { Run } from '@espalier/client';
import { type InfiniteData, useQueryClient } from '@tanstack/react-query';
import { useRef } from 'react';
import { useSession } from '../session/session-context.js';
import type { RunRow } from './types.js';
import { useLive } from './use-live.js';

interface RunsPageData {
  readonly items: readonly RunRow[];
}

/** Puts a changed run into a list; the same list where it is not in it. */
export function mergeRun(data: InfiniteData<RunsPageData>, run: Run): InfiniteData<RunsPageData> {
  if (!data.pages.some(({ items }) => items.some(({ id }) => id === run.id))) return data;
  const pages = data.pages.map((page) => ({
    ...page,
    items: page.items.map((row) => (row.id === run.id ? { ...row, ...run } : row)),
  }));
  return { ...data, pages };
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
      let isKnown = false;
      for (const [key, data] of queries.getQueriesData<InfiniteData<RunsPageData>>({ queryKey: ['runs'] })) {
        if (data === undefined) continue;
        const merged = mergeRun(data, run);
        if (merged !== data) {
          isKnown = true;
          queries.setQueryData(key, merged);
        }
      }
      queries.setQueryData(['run', run.id], (old: object | undefined) => old && { ...old, ...run });
      if (isKnown) return;
      // a new one, or one that another filter hides: read the list again, but not for each of many
      window.clearTimeout(timer.current);
      timer.current = window.setTimeout(() => void queries.invalidateQueries({ queryKey: ['runs'] }), 400);
    },
  );
}
