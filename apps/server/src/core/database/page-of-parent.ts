/** @file Pages of what belongs to the rows of a list, such as the newest attempt of each run: read for all of them by one query. */
import type { ObjectLiteral, SelectQueryBuilder } from 'typeorm';
import { createBatchLoader, groupRows } from './batch-loader.js';
import { limitConcurrency } from './limit-concurrency.js';
import { columnKey, type Page, type PagePart, type PagePlan, planPage, readPage, toPage } from './page.js';

/** Whether a page begins at an end of its list. */
export const isOuterPage = ({ after, before }: PagePart): boolean =>
  (after ?? null) === null && (before ?? null) === null;

/**
 * Creates a reader of pages, ordered by id. Outer pages of one size that are asked for in one tick are read together; a page behind
 * a cursor is read alone.
 *
 * @param select a query of all rows, to which conditions are added
 * @param parent the column with the id of what a row belongs to
 */
export function createPageLoader<T extends ObjectLiteral & { id: string }>(
  select: () => SelectQueryBuilder<T>,
  parent: keyof T & string,
): (id: string, part: PagePart) => Promise<Page<T>> {
  type Plan = Pick<PagePlan, 'limit' | 'direction'>;
  const readers = new Map<string, (id: string) => Promise<T[] | undefined>>();
  const readAll = async (ids: readonly string[], { limit, direction }: Plan): Promise<Map<string, T[]>> => {
    const query = select();
    const table = query.expressionMap.mainAlias?.metadata.tableName ?? '';
    const places = `SELECT id, ROW_NUMBER() OVER (PARTITION BY "${parent}" ORDER BY id ${direction}) AS place FROM ${table} WHERE "${parent}" IN (:...parents)`;
    query
      .where(`${query.alias}.id IN (SELECT id FROM (${places}) placed WHERE place <= :limit)`, {
        parents: [...ids],
        limit,
      })
      .orderBy(`${query.alias}.id`, direction);
    return groupRows(await limitConcurrency(() => query.getMany()), (row) => String(row[parent]));
  };
  const readerFor = ({ limit, direction }: Plan): ((id: string) => Promise<T[] | undefined>) => {
    const name = `${limit} ${direction}`;
    const known = readers.get(name);
    if (known !== undefined) return known;
    const reader = createBatchLoader((ids) => readAll(ids, { limit, direction }));
    readers.set(name, reader);
    return reader;
  };
  return async (id, part) => {
    const query = select();
    const key = columnKey(query.alias, 'id', 'text');
    query.where(`${query.alias}.${parent} = :parent`, { parent: id });
    if (!isOuterPage(part)) return readPage(query, part, [key]);
    const plan = planPage(part, { name: key.sql, kinds: [key.kind], direction: 'asc' });
    const rows = (await readerFor(plan)(id)) ?? [];
    return toPage(
      plan,
      rows,
      (row) => [row.id],
      () => limitConcurrency(() => query.getCount()),
    );
  };
}
