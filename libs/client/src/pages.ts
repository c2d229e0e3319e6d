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
export const toPage = <T, U>({ nodes, pageInfo }: NodePage<T>, map: (node: T) => U): Page<U> => ({
  items: nodes.map(map),
  pageInfo,
});

/** The variables of a page. */
export const pageVariables = ({ first, after, last, before }: PageRequest) => ({
  first: first ?? null,
  after: after ?? null,
  last: last ?? null,
  before: before ?? null,
});

/** Reads a list to its end, page by page. */
export async function* readPages<T>(read: (page: PageRequest) => Promise<Page<T>>): AsyncGenerator<T> {
  for (let after: string | null = null; ;) {
    const { items, pageInfo }: Page<T> = await read({ first: 200, after });
    yield* items;
    if (!pageInfo.hasNextPage) return;
    after = pageInfo.endCursor;
  }
}

/** Reads the remaining pages of a list whose first page is known. */
export async function readRest<T>(
  begin: NodePage<T>,
  read: (after: string) => Promise<NodePage<T>>,
): Promise<T[]> {
  const all = [...begin.nodes];
  for (let { pageInfo } = begin; pageInfo.hasNextPage && pageInfo.endCursor !== null;) {
    const page = await read(pageInfo.endCursor);
    all.push(...page.nodes);
    pageInfo = page.pageInfo;
  }
  return all;
}
