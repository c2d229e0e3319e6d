import type { Page, PageRequest } from './runs.js';

/** Reads a list to its end, page by page. */
export async function* readPages<T>(read: (page: PageRequest) => Promise<Page<T>>): AsyncGenerator<T> {
  let after: string | null = null;
  do {
    const page: Page<T> = await read({ first: 200, after });
    yield* page.items;
    after = page.next;
  } while (after !== null);
}

/** A page as the server returns it. */
export interface ServerPage<T> {
  readonly items: readonly T[];
  readonly pageInfo: { readonly endCursor: string | null; readonly hasNextPage: boolean };
}

/** Reads the remaining pages of a list whose first page is known. */
export async function readRest<T>(
  begin: ServerPage<T>,
  read: (after: string) => Promise<ServerPage<T>>,
): Promise<T[]> {
  const all = [...begin.items];
  for (let { pageInfo } = begin; pageInfo.hasNextPage && pageInfo.endCursor !== null;) {
    const page = await read(pageInfo.endCursor);
    all.push(...page.items);
    pageInfo = page.pageInfo;
  }
  return all;
}
