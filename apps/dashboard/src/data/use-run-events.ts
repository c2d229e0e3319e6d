/** @file What happened to a run besides metrics and trajectories: the newest, what is pushed, and older ones on demand. */
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useEffect, useMemo, useRef, useState } from 'react';
import { useSession } from '../session/session-context.js';
import type { EventCount, RunRecord } from './types.js';
import { useLive } from './use-live.js';

export const eventKinds = [
  'state',
  'run-started',
  'run-ended',
  'process-ended',
  'checkpoint',
  'level',
  'warning',
  'monitor',
] as const;
export type EventKind = (typeof eventKinds)[number];

/** Events that are read at once. */
const pageSize = 100;

export interface RunEvents {
  /** newest first, as far as they are read */
  readonly events: readonly RunRecord[];
  /** how many there are by kind and range of steps; undefined: not read yet */
  readonly counts: readonly EventCount[] | undefined;
  readonly error: Error | null;
  retry(): void;
  readonly hasOlder: boolean;
  readonly isReading: boolean;
  readOlder(): void;
}

/** @param kind only those; default: all. What is counted is of all kinds. */
export function useRunEvents(runId: string, kind?: EventKind): RunEvents {
  const { client } = useSession();
  const [pushed, setPushed] = useState<readonly RunRecord[]>([]);
  const filter = { kinds: kind === undefined ? [...eventKinds] : [kind] };
  const list = useInfiniteQuery({
    queryKey: ['events', runId, kind],
    initialPageParam: null as string | null,
    queryFn: async ({ pageParam: after }) => {
      // before the newest, so that what is stored meanwhile is pushed, not lost
      const run = after === null ? (await client.runs.list({ ids: [runId] })).items[0] : undefined;
      return {
        head: run?.head ?? 0,
        ...(await client.events.list(runId, filter, { first: pageSize, after })),
      };
    },
    getNextPageParam: ({ pageInfo }) => (pageInfo.hasNextPage ? pageInfo.endCursor : undefined),
    staleTime: Infinity,
    gcTime: 0,
  });
  const counted = useQuery({
    queryKey: ['event-counts', runId],
    queryFn: () => client.events.counts(runId, { kinds: [...eventKinds] }),
    staleTime: Infinity,
    gcTime: 0,
  });
  const head = list.data?.pages[0]?.head;
  // of the first list that was read: those of other kinds begin later
  const start = useRef<number>();
  start.current ??= head;
  useBatches(runId, start.current, setPushed);
  const read = list.data?.pages;
  const events = useMemo(() => {
    const stored = read?.flatMap(({ items }) => items) ?? [];
    const newest = stored[0]?.cursor ?? 0;
    const added = pushed.filter((one) => one.cursor > newest && (kind === undefined || one.kind === kind));
    return [...added.toReversed(), ...stored];
  }, [read, pushed, kind]);
  const counts = useMemo(() => {
    if (counted.data === undefined) return undefined;
    const added = pushed
      .filter(({ cursor }) => cursor > counted.data.cursor)
      .map(({ kind: of, step }) => ({ kind: of, firstStep: step, lastStep: step, count: 1 }));
    return [...counted.data.counts, ...added];
  }, [counted.data, pushed]);
  return {
    events,
    counts,
    error: list.error ?? counted.error,
    retry: () => {
      if (list.error !== null) void list.refetch();
      if (counted.error !== null) void counted.refetch();
    },
    hasOlder: list.hasNextPage,
    isReading: list.isFetching,
    readOlder: () => {
      if (!list.isFetching) void list.fetchNextPage();
    },
  };
}

/** Collects what is pushed after a cursor, and draws it in parts: hundreds of batches may come at once. */
function useBatches(
  runId: string,
  start: number | undefined,
  setPushed: (change: (old: readonly RunRecord[]) => readonly RunRecord[]) => void,
): void {
  const { client } = useSession();
  const newest = useRef<number>();
  const waiting = useRef<RunRecord[]>([]);
  const timer = useRef<number>();
  useEffect(() => () => window.clearTimeout(timer.current), []);
  useLive(
    start === undefined ? undefined : runId,
    () => client.live.events(runId, newest.current ?? start ?? 0, eventKinds),
    ({ cursor, records }) => {
      const known = newest.current ?? 0;
      waiting.current.push(...records.filter((one) => one.cursor > known));
      newest.current = Math.max(known, cursor);
      if (timer.current !== undefined) return;
      timer.current = window.setTimeout(() => {
        timer.current = undefined;
        const given = waiting.current;
        waiting.current = [];
        setPushed((old) => [...old, ...given]);
      }, 30);
    },
  );
}
