/** @file Pages of tokens, read when they come into view. */
import type { Client } from '@espalier/client';
import { useQueries, useQueryClient } from '@tanstack/react-query';
import { useEffect, useMemo, useRef } from 'react';
import type { TokenPage } from '../data/types.js';
import { useSession } from '../session/session-context.js';
import { pageTokens } from './blocks.js';

export interface Pages {
  /** the page that a token is in; undefined: it has not arrived */
  of(token: number): TokenPage | undefined;
  readonly error: Error | null;
  /** asks again for the pages that failed */
  retry(): void;
}

/** The tokens of a page. @param start its first, a multiple of `pageTokens` */
export const pageOf = (client: Client, runId: string, id: string, start: number) => ({
  queryKey: ['tokens', runId, id, start],
  // one more before it: a text begins where the one before it ends
  queryFn: () =>
    client.trajectories.tokens(runId, id, { from: Math.max(0, start - 1), count: pageTokens + 1 }),
  staleTime: Infinity,
  gcTime: 60_000,
});

const startOf = (token: number): number => Math.floor(token / pageTokens) * pageTokens;

/** Asks for the page of a token beside the trajectory, not after it. @param token undefined: no tokens are shown */
export function useFirstTokens(runId: string, id: string, token: number | undefined): void {
  const { client } = useSession();
  const queries = useQueryClient();
  const start = token === undefined ? undefined : startOf(token);
  // only with what is opened: later pages are asked for as they come into view
  useEffect(() => {
    if (start !== undefined) void queries.prefetchQuery(pageOf(client, runId, id, start));
  }, [client, queries, runId, id, start === undefined]);
}

/** @param starts first tokens of pages, ascending */
export function usePages(runId: string, id: string, starts: readonly number[]): Pages {
  const { client } = useSession();
  const queries = useQueries({
    queries: starts.map((start) => pageOf(client, runId, id, start)),
  });
  const arrived = queries.map(({ data }) => data);
  const failed = queries.filter((query) => query.error !== null);
  const error = failed[0]?.error ?? null;
  const newest = useRef(failed);
  newest.current = failed;
  // both lists are made anew by every render
  const key = JSON.stringify([starts, arrived.map((page) => page?.from)]);
  return useMemo(() => {
    const pages = new Map(starts.map((start, at) => [start, arrived[at]]));
    return {
      of: (token) => pages.get(startOf(token)),
      error,
      retry: () => void Promise.all(newest.current.map((query) => query.refetch())),
    };
  }, [key, error, runId, id]);
}
