import type { ObjectLiteral, SelectQueryBuilder } from 'typeorm';
import { inTurn } from './in-turn.js';
import { decodeCursor, type Page, requirePageSize, toPage } from './page.js';

/** Which part of a list; as `PageArgs`. */
export interface PagePart {
  readonly first: number;
  readonly after?: string | null | undefined;
}

/**
 * Reads a page of rows in the order of their ids, which is their age.
 *
 * @param query with its conditions; gets an order and a limit
 * @throws server.bad_cursor, server.bad_page
 */
export async function readPageById<T extends ObjectLiteral & { id: string }>(
  query: SelectQueryBuilder<T>,
  { first, after }: PagePart,
): Promise<Page<T>> {
  requirePageSize(first);
  const id = `${query.alias}.id`;
  if (typeof after === 'string')
    query.andWhere(`${id} > :last`, { last: decodeCursor(after, ['string'])[0] });
  query.orderBy(id, 'ASC').limit(first + 1);
  const rows = await inTurn(() => query.getMany());
  return toPage(rows, first, (row) => [row.id]);
}
