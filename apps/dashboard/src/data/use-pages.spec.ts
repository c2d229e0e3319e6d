import { describe, expect, it } from 'vitest';
import { readAll } from './use-pages.js';

/** A list of the numbers below `length`, as a server gives it. */
const listOf =
  (length: number, asked: number[] = []) =>
  async ({ first, after }: { first: number; after: string | null }) => {
    asked.push(first);
    const start = after === null ? 0 : Number(after) + 1;
    const end = Math.min(length, start + first);
    const items = Array.from({ length: end - start }, (_, at) => start + at);
    const pageInfo = { hasNextPage: end < length, endCursor: items.length === 0 ? null : String(end - 1) };
    return { items, pageInfo };
  };

describe('reading a list to its end', () => {
  it('reads every page, each item once', async () => {
    const asked: number[] = [];
    const { items, isCut } = await readAll(listOf(250, asked));
    expect([items.length, items.at(-1), isCut, asked]).toEqual([250, 249, false, [100, 100, 100]]);
    expect(await readAll(listOf(0))).toEqual({ items: [], isCut: false });
  });

  it('stops at the most that is wanted, and says whether there is more', async () => {
    for (const [length, most, isCut] of [
      [250, 150, true],
      [200, 150, true],
      [150, 150, false],
      [3, 2, true],
    ] as const) {
      const read = await readAll(listOf(length), most);
      expect([read.items.length, read.items.at(-1), read.isCut]).toEqual([most, most - 1, isCut]);
    }
  });
});
