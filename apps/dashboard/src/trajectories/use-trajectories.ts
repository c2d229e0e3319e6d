/** @file The list of trajectories that the address asks for, and the neighbours of one in it. */
import { useInfiniteQuery } from '@tanstack/react-query';
import { useEffect, useMemo } from 'react';
import { useSearch } from '../routing/router.js';
import { useSession } from '../session/session-context.js';
import { readFilter, readOrder } from './list-filter.js';

export function useTrajectories(runId: string, isWanted = true) {
  const { client } = useSession();
  const [search] = useSearch();
  const filter = useMemo(() => readFilter(search), [search]);
  const orderBy = readOrder(search);
  const list = useInfiniteQuery({
    queryKey: ['trajectories', runId, filter, orderBy],
    queryFn: ({ pageParam }) =>
      client.trajectories.list(runId, filter, { first: 100, after: pageParam, orderBy }),
    initialPageParam: null as string | null,
    getNextPageParam: ({ pageInfo }) => (pageInfo.hasNextPage ? pageInfo.endCursor : undefined),
    placeholderData: (old) => old,
    enabled: isWanted,
  });
  const rows = useMemo(() => list.data?.pages.flatMap(({ items }) => items) ?? [], [list.data]);
  return { list, rows, isFiltered: Object.keys(filter).length > 0 };
}

interface Neighbours {
  readonly previousId: string | null;
  readonly nextId: string | null;
}

/**
 * The trajectories before and after one: of those that fit the filter, in the order of the list, as far as it is read;
 * without a filter, and for one that is not in the list, those of the run.
 */
export function useNeighbours(runId: string, id: string, ofRun: Neighbours | undefined): Neighbours {
  const [search] = useSearch();
  const isFiltered = Object.keys(readFilter(search)).length > 0 || search.has('sort');
  const { list, rows } = useTrajectories(runId, isFiltered);
  const at = isFiltered ? rows.findIndex((row) => row.id === id) : -1;
  const { hasNextPage, isFetchingNextPage, fetchNextPage } = list;
  const isAtEnd = at >= 0 && at >= rows.length - 2;
  useEffect(() => {
    if (isAtEnd && hasNextPage && !isFetchingNextPage) void fetchNextPage();
  }, [isAtEnd, hasNextPage, isFetchingNextPage, fetchNextPage]);
  if (at < 0) return ofRun ?? { previousId: null, nextId: null };
  return { previousId: rows[at - 1]?.id ?? null, nextId: rows[at + 1]?.id ?? null };
}
