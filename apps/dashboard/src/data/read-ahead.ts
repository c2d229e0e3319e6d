/** @file Reads what a link opens from the press on, or once the pointer rests on it, so that the click finds it there. */
import { type QueryClient, useQueryClient } from '@tanstack/react-query';
import type { Client } from '@espalier/client';
import { useEffect, useRef } from 'react';
import { useSession } from '../session/session-context.js';

/** A pointer on its way to something else is shorter on a link. */
const restMs = 80;

interface Handlers {
  onPointerEnter(): void;
  onPointerLeave(): void;
  onPointerDown(): void;
}

/**
 * Handlers for each of several links.
 *
 * @param read asks for what one of them opens; what is read already is not asked for again
 */
export function useReadAhead<T>(
  read: (of: T, queries: QueryClient, client: Client) => void,
): (of: T, isLarge?: boolean) => Handlers {
  const queries = useQueryClient();
  const { client } = useSession();
  const timer = useRef(0);
  const stop = (): void => window.clearTimeout(timer.current);
  useEffect(() => stop, []);
  const begin = (of: T): void => read(of, queries, client);
  return (of, isLarge = false) => ({
    onPointerEnter() {
      stop();
      // what is large is read when it is wanted, not when it may be
      if (!isLarge) timer.current = window.setTimeout(begin, restMs, of);
    },
    onPointerLeave: stop,
    onPointerDown() {
      stop();
      begin(of);
    },
  });
}

/** A stored trajectory, which does not change. */
export const trajectoryQuery = (client: Client, runId: string, id: string) => ({
  queryKey: ['trajectory', runId, id],
  queryFn: () => client.trajectories.open(runId, id),
  staleTime: Infinity,
});
