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
