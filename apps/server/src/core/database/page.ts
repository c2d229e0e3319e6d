/**
 * @file Lists by pages. A cursor is opaque to clients: base64url of the sort key of the last item, so that a page is
 * the same whatever was added meanwhile.
 */
import { AppError } from '@espalier/contracts';
import { count, size, step, text } from '@espalier/protocol/bounds';
import type { ObjectLiteral, SelectQueryBuilder } from 'typeorm';
import { z } from 'zod';
import { inTurn } from './in-turn.js';

export const maxPageSize = 500;

const sizes = `expected a whole number from 1 to ${maxPageSize}`;
const encoded = text(2000);

/** The same as query parameters of REST. */
export const pageQuery = z.strictObject({
  first: z
    .union([z.string().regex(/^-?\d{1,15}$/, sizes), z.number()], sizes)
    .transform(Number)
    .pipe(z.int(sizes))
    .default(50)
    .describe('how many at most, 1 to 500; default 50'),
  after: encoded.optional().describe('where the page before ends, as it says; absent: the first page'),
});

/** Which part of a list; as clients give it. */
export interface PagePart {
  readonly first: number;
  readonly after?: string | null | undefined;
}

export class PageInfo {
  endCursor!: string | null;

  hasNextPage!: boolean;
}

export interface Page<T> {
  readonly items: readonly T[];
  readonly pageInfo: PageInfo;
}

/** Encodes the sort key of an item. */
export function encodeCursor(key: readonly (string | number)[]): string {
  return Buffer.from(JSON.stringify(key)).toString('base64url');
}

/** What a part of a sort key may be, by the column that it is compared with. */
const keyParts = {
  text: text(1000, { isMultiline: true }),
  count,
  step,
  /** in a column of 64 bits */
  whole: size,
  number: z.number(),
};
type KeyPart = keyof typeof keyParts;

/**
 * Decodes a cursor to the sort key of the last item before a page.
 *
 * @param kinds what each part must be
 * @returns undefined: the first page is asked for
 * @throws server.bad_cursor
 */
export function decodeCursor(
  cursor: string | null | undefined,
  kinds: readonly KeyPart[],
): (string | number)[] | undefined {
  if (cursor === undefined || cursor === null) return undefined;
  const key = encoded.safeParse(cursor).success ? parseKey(cursor) : undefined;
  if (
    Array.isArray(key) &&
    key.length === kinds.length &&
    kinds.every((kind, index) => keyParts[kind].safeParse(key[index]).success)
  )
    return key as (string | number)[];
  throw new AppError(
    'server.bad_cursor',
    `read the page after ${JSON.stringify(cursor.slice(0, 100))}: this is no cursor of this list; use the endCursor of a page before`,
  );
}

function parseKey(cursor: string): unknown {
  try {
    return JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'));
  } catch {
    return undefined;
  }
}

/** Checks a page size. @throws server.bad_page */
export function requirePageSize(first: number): number {
  if (Number.isInteger(first) && first >= 1 && first <= maxPageSize) return first;
  throw new AppError(
    'server.bad_page',
    `read a page of ${first}: a page has 1 to ${maxPageSize} items; ask for more pages instead`,
  );
}

/**
 * Reads a page of rows in the order of their ids, which is their age.
 *
 * @param query with its conditions; gets an order and a limit
 * @param order `DESC`: newest first
 * @throws server.bad_cursor, server.bad_page
 */
export async function readPageById<T extends ObjectLiteral & { id: string | number }>(
  query: SelectQueryBuilder<T>,
  { first, after }: PagePart,
  { order = 'ASC', kind = 'text' }: { order?: 'ASC' | 'DESC'; kind?: KeyPart } = {},
): Promise<Page<T>> {
  requirePageSize(first);
  const id = `${query.alias}.id`;
  const key = decodeCursor(after, [kind]);
  if (key !== undefined) query.andWhere(`${id} ${order === 'ASC' ? '>' : '<'} :last`, { last: key[0] });
  query.orderBy(id, order).limit(first + 1);
  const rows = await inTurn(() => query.getMany());
  return toPage(rows, first, (row) => [row.id]);
}

/** Cuts a page out of a whole list in memory, whose keys are whole numbers and ascend. @throws server.bad_cursor, server.bad_page */
export function pageOfAll<T>(
  all: readonly T[],
  { first, after }: PagePart,
  keyOf: (item: T) => number,
): Page<T> {
  requirePageSize(first);
  const [last] = decodeCursor(after, ['whole']) ?? [];
  const rest = last === undefined ? all : all.filter((item) => keyOf(item) > Number(last));
  return toPage(rest.slice(0, first + 1), first, (item) => [keyOf(item)]);
}

/**
 * Makes a page of rows that were read with one row more than asked for.
 *
 * @param rows at most `first + 1`
 */
export function toPage<T>(
  rows: readonly T[],
  first: number,
  keyOf: (row: T) => readonly (string | number)[],
): Page<T> {
  const items = rows.slice(0, first);
  const last = items.at(-1);
  return {
    items,
    pageInfo: {
      endCursor: last === undefined ? null : encodeCursor(keyOf(last)),
      hasNextPage: rows.length > first,
    },
  };
}
