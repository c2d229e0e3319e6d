/** @file Lists that are shown in part: of the server, page by page, or known as a whole. */
import { type QueryKey, skipToken, useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import type { ShownPart } from '../parts/more.js';

type Read<T> = (page: { readonly first: number; readonly after: string | null }) => Promise<{
  readonly items: readonly T[];
  readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string | null };
}>;

interface Options<T> {
  readonly queryKey: QueryKey;
  readonly read: Read<T>;
  /** Counts the whole list where there is more than is read; undefined: it cannot be counted. */
  readonly count?: () => Promise<number>;
  /** rows of a page */
  readonly size?: number;
  /** rows that are shown at first, and more at a time; default: a page */
  readonly portion?: number;
  readonly refetchInterval?: number;
  /** default: true */
  readonly isWanted?: boolean;
}

export interface Pages<T> extends ShownPart {
  /** what is shown; undefined: nothing is read yet */
  readonly items: readonly T[] | undefined;
  readonly error: Error | null;
  refetch(): void;
}

const isMore = (total: number | undefined, known: readonly unknown[] | undefined): boolean =>
  total !== undefined && total > (known?.length ?? 0);

/** Reads a list of the server as far as it is shown. */
export function usePages<T>({
  queryKey,
  read,
  count,
  size = 100,
  portion = size,
  refetchInterval,
  isWanted = true,
}: Options<T>): Pages<T> {
  const [wanted, setWanted] = useState(portion);
  const list = useInfiniteQuery({
    queryKey,
    queryFn: ({ pageParam }) => read({ first: size, after: pageParam }),
    initialPageParam: null as string | null,
    getNextPageParam: ({ pageInfo }) => (pageInfo.hasNextPage ? pageInfo.endCursor : undefined),
    placeholderData: (old) => old,
    enabled: isWanted,
    ...(refetchInterval !== undefined && { refetchInterval }),
  });
  const total = useQuery({
    queryKey: [...queryKey, 'total'],
    meta: { what: 'how many there are' },
    queryFn: count ?? skipToken,
    enabled: list.hasNextPage && count !== undefined,
    placeholderData: (old) => old,
    ...(refetchInterval !== undefined && { refetchInterval }),
  });
  const known = useMemo(() => list.data?.pages.flatMap(({ items }) => items), [list.data]);
  const items = useMemo(() => known?.slice(0, wanted), [known, wanted]);
  return {
    items,
    shown: items?.length ?? 0,
    known: known?.length ?? 0,
    // a count may be older than what is read
    total: !list.hasNextPage ? known?.length : isMore(total.data, known) ? total.data : undefined,
    isReading: list.isFetchingNextPage,
    showMore: () => {
      setWanted(wanted + portion);
      if (wanted + portion > (known?.length ?? 0) && list.hasNextPage) void list.fetchNextPage();
    },
    error: list.error,
    refetch: () => void list.refetch(),
  };
}

/** of a list that is known as a whole, more at a time */
const foldPortion = 200;

/** The beginning of a list that is known as a whole. */
export function useFold<T>(all: readonly T[], first: number): ShownPart & { readonly items: readonly T[] } {
  const [wanted, setWanted] = useState(first);
  const items = useMemo(() => all.slice(0, wanted), [all, wanted]);
  return {
    items,
    shown: items.length,
    known: all.length,
    total: all.length,
    isReading: false,
    showMore: () => setWanted(wanted + foldPortion),
  };
}

/** Reads a list to its end, or as far as `most`. */
export async function readAll<T>(
  read: Read<T>,
  most = Infinity,
  size = 100,
): Promise<{ readonly items: readonly T[]; readonly isCut: boolean }> {
  const items: T[] = [];
  for (let after: string | null = null; ;) {
    const page: Awaited<ReturnType<Read<T>>> = await read({ first: Math.min(size, most), after });
    items.push(...page.items);
    after = page.pageInfo.endCursor;
    const { hasNextPage } = page.pageInfo;
    if (!hasNextPage || after === null || items.length >= most)
      return { items: items.slice(0, most), isCut: hasNextPage || items.length > most };
  }
}
