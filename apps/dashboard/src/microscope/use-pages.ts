/** @file Pages of tokens, read when they come into view. */
import { useQueries } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { TokenPage } from '../data/types.js';
import { useSession } from '../session/session-context.js';
import { pageTokens } from './blocks.js';

export interface Pages {
  /** the page that a token is in; undefined: it has not arrived */
  of(token: number): TokenPage | undefined;
  readonly error: Error | null;
}

/** @param starts first tokens of pages, ascending */
export function usePages(runId: string, id: string, starts: readonly number[]): Pages {
  const { client } = useSession();
  const queries = useQueries({
    queries: starts.map((start) => ({
      queryKey: ['tokens', runId, id, start],
      // one more before it: a text begins where the one before it ends
      queryFn: () =>
        client.trajectories.tokens(runId, id, { from: Math.max(0, start - 1), count: pageTokens + 1 }),
      staleTime: Infinity,
      gcTime: 60_000,
    })),
  });
  const arrived = queries.map(({ data }) => data);
  const error = queries.find((query) => query.error !== null)?.error ?? null;
  // both lists are made anew by every render
  const key = JSON.stringify([starts, arrived.map((page) => page?.from)]);
  return useMemo(() => {
    const pages = new Map(starts.map((start, at) => [start, arrived[at]]));
    return { of: (token) => pages.get(Math.floor(token / pageTokens) * pageTokens), error };
  }, [key, error, runId, id]);
}
