/** @file The list of trajectories that the address asks for, and the neighbours of one in it. */
import type { Client, TrajectoryRow } from '@espalier/client';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useEffect, useMemo } from 'react';
import { useSearch } from '../routing/router.js';
import { useSession } from '../session/session-context.js';
import { readFilter, readOrder } from './list-filter.js';

type TrajectoryPart = Awaited<ReturnType<Client['trajectories']['list']>>;

/** The list that an address asks for, page by page. */
export function listQuery(client: Client, runId: string, search: URLSearchParams) {
  const [filter, orderBy] = [readFilter(search), readOrder(search)];
  return {
    queryKey: ['trajectories', runId, filter, orderBy],
    queryFn: ({ pageParam }: { readonly pageParam: string | null }) =>
      client.trajectories.list(runId, filter, { first: 100, after: pageParam, orderBy }),
    initialPageParam: null as string | null,
    getNextPageParam: ({ pageInfo }: TrajectoryPart) =>
      pageInfo.hasNextPage ? pageInfo.endCursor : undefined,
  };
}

export function useTrajectories(runId: string, isWanted = true) {
  const { client } = useSession();
  const [search] = useSearch();
  const filter = useMemo(() => readFilter(search), [search]);
  const list = useInfiniteQuery({
    ...listQuery(client, runId, search),
    placeholderData: (old) => old,
    enabled: isWanted,
  });
  const rows = useMemo(() => list.data?.pages.flatMap(({ items }) => items) ?? [], [list.data]);
  return { list, rows, isFiltered: Object.keys(filter).length > 0 };
}

/** So many are read for the histogram of rewards. */
export const mostInHistogram = 500;

/** The newest trajectories that fit all of the filter but its bounds on rewards, and those that fit these, too. */
export function useRewardRows(runId: string) {
  const { client } = useSession();
  const [search] = useSearch();
  const { minReward, maxReward, ...filter } = useMemo(() => readFilter(search), [search]);
  const { data, error, refetch } = useQuery({
    queryKey: ['trajectories', runId, 'rewards', filter],
    queryFn: () =>
      client.trajectories.list(runId, filter, {
        first: mostInHistogram,
        orderBy: { field: 'step', direction: 'desc' },
      }),
    placeholderData: (old) => old,
  });
  const rows = data?.items ?? [];
  const isBound = minReward !== undefined || maxReward !== undefined;
  const fits = ({ reward }: TrajectoryRow): boolean =>
    reward !== null && reward >= (minReward ?? -Infinity) && reward <= (maxReward ?? Infinity);
  return {
    isRead: data !== undefined,
    error,
    retry: () => void refetch(),
    rows,
    fitting: isBound ? rows.filter(fits) : undefined,
    hasMore: data?.pageInfo.hasNextPage === true,
  };
}

interface Neighbours {
  readonly previousId: string | null;
  readonly nextId: string | null;
}

/** Rows that are looked through for one. */
const mostLookedThrough = 2000;

/**
 * The trajectories before and after one: without a filter those of the run, else those that fit it, in the order of the
 * list, none while that is read; for one that is not among the first of the list, those of the run.
 */
export function useNeighbours(runId: string, id: string, ofRun: Neighbours | undefined): Neighbours {
  const [search] = useSearch();
  const isFiltered = Object.keys(readFilter(search)).length > 0 || search.has('sort');
  const { list, rows } = useTrajectories(runId, isFiltered);
  const at = rows.findIndex((row) => row.id === id);
  const { hasNextPage, isFetching, fetchNextPage } = list;
  const isWanting = at >= 0 ? at >= rows.length - 2 : rows.length < mostLookedThrough;
  const mayRead = isFiltered && isWanting && hasNextPage;
  useEffect(() => {
    if (mayRead && !isFetching) void fetchNextPage();
  }, [mayRead, isFetching, fetchNextPage]);
  const none = { previousId: null, nextId: null };
  if (!isFiltered) return ofRun ?? none;
  if (at >= 0) return { previousId: rows[at - 1]?.id ?? null, nextId: rows[at + 1]?.id ?? null };
  return isFetching || mayRead ? none : (ofRun ?? none);
}
