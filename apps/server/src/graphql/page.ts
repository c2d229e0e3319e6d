/**
 * @file Lists by pages. A cursor is opaque to clients: base64url of the sort key of the last item, so that a page is
 * the same whatever was added meanwhile.
 */
import { AppError } from '@espalier/contracts';
import { type Type } from '@nestjs/common';
import { ArgsType, Field, Int, ObjectType } from '@nestjs/graphql';
import { z } from 'zod';

export const maxPageSize = 500;

@ArgsType()
export class PageArgs {
  @Field(() => Int, { defaultValue: 50, description: 'How many at most, 1 to 500.' })
  first: number = 50;

  @Field(() => String, {
    nullable: true,
    description: '`endCursor` of the page before; absent: the first page.',
  })
  after?: string;
}

const sizes = `expected a whole number from 1 to ${maxPageSize}`;
/** The same as query parameters of REST. */
export const pageQuery = z.object({
  first: z.coerce
    .number(sizes)
    .int(sizes)
    .min(1, sizes)
    .max(maxPageSize, sizes)
    .default(50)
    .describe('how many at most, 1 to 500'),
  after: z.string().max(2000).optional().describe('`endCursor` of the page before; absent: the first page'),
});
export type PageQuery = { first: number; after?: string | undefined };

@ObjectType({ description: 'Where a page ends, and whether there is more.' })
export class PageInfo {
  @Field(() => String, {
    nullable: true,
    description: 'Pass it as `after` to get the next page; null on an empty page.',
  })
  endCursor!: string | null;

  @Field(() => Boolean, { description: 'There is at least one item after this page.' })
  hasNextPage!: boolean;
}

export interface Page<T> {
  readonly items: readonly T[];
  readonly pageInfo: PageInfo;
}

/** Makes the GraphQL type of a page of items. */
export function pageOf<T>(item: Type<T>, name: string): Type<Page<T>> {
  @ObjectType(name, { description: `A page of a list.` })
  class PageType implements Page<T> {
    @Field(() => [item], { description: 'The items, in the order of the list.' })
    items!: T[];

    @Field(() => PageInfo, { description: 'Where the page ends.' })
    pageInfo!: PageInfo;
  }
  return PageType;
}

/** Encodes the sort key of an item. */
export function encodeCursor(key: readonly (string | number)[]): string {
  return Buffer.from(JSON.stringify(key)).toString('base64url');
}

/**
 * Decodes a cursor to its sort key.
 *
 * @param types what each part must be
 * @throws server.bad_cursor
 */
export function decodeCursor(cursor: string, types: readonly ('string' | 'number')[]): (string | number)[] {
  let key: unknown;
  try {
    key = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'));
  } catch {
    key = undefined;
  }
  if (Array.isArray(key) && key.length === types.length && key.every((part, i) => typeof part === types[i]))
    return key as (string | number)[];
  throw new AppError(
    'server.bad_cursor',
    `read the page after "${cursor.slice(0, 100)}": this is no cursor of this list; use the endCursor of a page before`,
  );
}

/** Checks a page size. @throws server.bad_page */
export function requirePageSize(first: number): number {
  if (Number.isInteger(first) && first >= 1 && first <= maxPageSize) return first;
  throw new AppError(
    'server.bad_page',
    `read a page of ${first}: a page has 1 to ${maxPageSize} items; ask for more pages instead`,
  );
}

/** Reads a page size from a query string; absent: 50. @throws server.bad_page */
export function parsePageSize(text: string | undefined): number {
  if (text === undefined) return 50;
  if (/^-?\d{1,15}$/.test(text)) return requirePageSize(Number(text));
  throw new AppError(
    'server.bad_page',
    `read a page: first is ${JSON.stringify(text.slice(0, 100))}; ${sizes}`,
  );
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
