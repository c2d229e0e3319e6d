/** @file Lists by pages. */
import type { PageFieldsFragment } from './generated/operations.js';

export type PageInfo = PageFieldsFragment;

/** A page of a list. */
export interface Page<T> {
  readonly items: readonly T[];
  readonly pageInfo: PageInfo;
}

/** A part of a list: from its beginning, or with `last` from its end. */
export interface PageRequest {
  /** 1 to 500; default 50 */
  readonly first?: number;
  /** `pageInfo.endCursor` of the previous page */
  readonly after?: string | null;
  /** 1 to 500; instead of `first` */
  readonly last?: number;
  /** `pageInfo.startCursor` of the next page */
  readonly before?: string | null;
}

/** A page as the server returns it. */
export interface NodePage<T> {
  readonly nodes: readonly T[];
  readonly pageInfo: PageInfo;
}

/** Makes a page of what the server returned. */
export const toPage = <T>({ nodes: items, pageInfo }: NodePage<T>): Page<T> => ({ items, pageInfo });

/** The variables of a page. */
export const pageVariables = ({ first, after, last, before }: PageRequest) => ({
  first: first ?? null,
  after: after ?? null,
  last: last ?? null,
  before: before ?? null,
});

/** Reads a list to its end, page by page. @param read gets the size of a page and the cursor that it follows */
export async function* readPages<T>(
  read: (page: { readonly first: number; readonly after: string | null }) => Promise<Page<T>>,
): AsyncGenerator<T> {
  for (let after: string | null = null; ;) {
    const { items, pageInfo }: Page<T> = await read({ first: 200, after });
    yield* items;
    if (!pageInfo.hasNextPage || pageInfo.endCursor === null) return;
    after = pageInfo.endCursor;
  }
}

/** Collects a list page by page. */
export async function collectPages<T>(...[read]: Parameters<typeof readPages<T>>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of readPages(read)) all.push(item);
  return all;
}
