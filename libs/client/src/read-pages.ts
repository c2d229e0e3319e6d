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

/** A page as the server tells it. */
interface ToldPage<T> {
  readonly items: readonly T[];
  readonly pageInfo: { readonly endCursor: string | null; readonly hasNextPage: boolean };
}

/** Reads a list to its end whose first page is there already. */
export async function readRest<T>(
  begin: ToldPage<T>,
  read: (after: string) => Promise<ToldPage<T>>,
): Promise<T[]> {
  const all = [...begin.items];
  for (let { pageInfo } = begin; pageInfo.hasNextPage && pageInfo.endCursor !== null;) {
    const page = await read(pageInfo.endCursor);
    all.push(...page.items);
    pageInfo = page.pageInfo;
  }
  return all;
}
