/**
 * @file Lists by pages, forward with `first` and `after`, backward with `last` and `before`. A cursor is opaque to
 * clients: base64url of the order of the list and of the sort key of an item, so that a page stays the same whatever is
 * added meanwhile.
 */
import { AppError } from '@espalier/contracts';
import { count, size, step, text } from '@espalier/protocol/bounds';
import type { ObjectLiteral, SelectQueryBuilder } from 'typeorm';
import { z } from 'zod';
import { limitConcurrency } from './limit-concurrency.js';

export const maxPageSize = 500;
export const defaultPageSize = 50;

const sizes = `expected a whole number from 1 to ${maxPageSize}`;
const encoded = text(2000);
const pageSize = z
  .union([z.string().regex(/^-?\d{1,15}$/, sizes), z.number()], sizes)
  .transform(Number)
  .pipe(z.int(sizes))
  .optional();

/** Query parameters of a page. */
export const pageQuery = z.strictObject({
  first: pageSize.describe(
    `how many at most from the beginning, 1 to ${maxPageSize}; default ${defaultPageSize}`,
  ),
  after: encoded.optional().describe('`endCursor` of a page: what follows it'),
  last: pageSize.describe('how many at most from the end; instead of `first`'),
  before: encoded.optional().describe('`startCursor` of a page: what precedes it'),
});

/** The part of a list that a client requests. */
export interface PagePart {
  readonly first?: number | null | undefined;
  readonly after?: string | null | undefined;
  readonly last?: number | null | undefined;
  readonly before?: string | null | undefined;
}

export const directions = { asc: 'ascending', desc: 'descending' } as const;
type Direction = keyof typeof directions;

/** The order of a list. */
export interface OrderBy<F extends string> {
  readonly field: F;
  readonly direction: Direction;
}

/** An order as REST accepts it, ascending by default; undefined: that of the list. */
export const toOrder = <F extends string>(
  field: F | undefined,
  direction: Direction = 'asc',
): OrderBy<F> | undefined => (field === undefined ? undefined : { field, direction });

/** Query parameters of an order. @param fields what a list can be ordered by, with descriptions */
export const orderQuery = <F extends string>(fields: Readonly<Record<F, string>>) =>
  ({
    orderBy: z
      .enum(Object.keys(fields) as [F])
      .optional()
      .describe(
        Object.entries<string>(fields)
          .map(([name, meaning]) => `${name}: ${meaning}`)
          .join('; '),
      ),
    direction: z.enum(['asc', 'desc']).optional().describe('of `orderBy`; default: asc'),
  }) as const;

export class PageInfo {
  startCursor!: string | null;

  endCursor!: string | null;

  hasNextPage!: boolean;

  hasPreviousPage!: boolean;
}

export interface Edge<T> {
  readonly cursor: string;
  readonly node: T;
}

export interface Page<T> {
  readonly edges: readonly Edge<T>[];
  readonly nodes: readonly T[];
  readonly pageInfo: PageInfo;
  /** Counts the whole list. */
  readonly totalCount: () => Promise<number>;
}

/** Replaces the items of a page. */
export const mapPage = <T, U>({ edges, nodes, ...rest }: Page<T>, map: (node: T) => U): Page<U> => {
  const mapped = nodes.map(map);
  return {
    ...rest,
    nodes: mapped,
    edges: edges.map(({ cursor }, index) => ({ cursor, node: mapped[index] as U })),
  };
};

/** A page as REST returns it. */
export interface PageAnswer<T> {
  readonly items: readonly T[];
  readonly pageInfo: PageInfo;
}

/** Converts a page for REST. */
export const toPageAnswer = <T, U>({ nodes, pageInfo }: Page<T>, map: (node: T) => U): PageAnswer<U> => ({
  items: nodes.map(map),
  pageInfo,
});

type Key = readonly (string | number)[];

/** What a part of a sort key may be, by the column that it is compared with. */
const keyParts = {
  text: text(1000, { isMultiline: true }),
  count,
  step,
  /** in a column of 64 bits */
  integer: size,
  number: z.number(),
};
type KeyPart = keyof typeof keyParts;

/** What a list is ordered by: a name that its cursors carry, and the kinds of the parts of its sort key. */
export interface ListOrder {
  readonly name: string;
  readonly kinds: readonly KeyPart[];
  readonly direction: Direction;
}

/** How a page is read: these rows, in this direction. */
export interface PagePlan {
  readonly order: ListOrder;
  readonly size: number;
  readonly isBackward: boolean;
  /** rows to read: one more than the page has, to know whether there are more */
  readonly limit: number;
  readonly direction: 'ASC' | 'DESC';
  /** how the sort keys of its rows compare with these keys */
  readonly bounds: readonly { readonly operator: '<' | '>'; readonly key: Key }[];
}

/** Plans how to read a page. @throws server.invalid_cursor, server.invalid_input */
export function planPage(part: PagePart, order: ListOrder): PagePlan {
  const isBackward = typeof part.last === 'number';
  if (isBackward && typeof part.first === 'number')
    throw new AppError(
      'server.invalid_input',
      'read a page: `first` and `last` contradict each other; give one of them',
    );
  const wanted = validatePageSize(part.last ?? part.first ?? defaultPageSize);
  const after = decodeCursor(part.after, order);
  const before = decodeCursor(part.before, order);
  const isAscending = order.direction === 'asc';
  return {
    order,
    size: wanted,
    isBackward,
    limit: wanted + 1,
    direction: isAscending === isBackward ? 'DESC' : 'ASC',
    bounds: [
      ...(after === undefined
        ? []
        : [{ operator: isAscending ? ('>' as const) : ('<' as const), key: after }]),
      ...(before === undefined
        ? []
        : [{ operator: isAscending ? ('<' as const) : ('>' as const), key: before }]),
    ],
  };
}

/**
 * Builds a page from the rows that were read by its plan.
 *
 * @param totalCount counts the whole list; called when a client asks for it
 */
export function toPage<T>(
  { order, size: wanted, isBackward, bounds }: PagePlan,
  rows: readonly T[],
  keyOf: (row: T) => Key,
  totalCount: () => Promise<number>,
): Page<T> {
  const hasMore = rows.length > wanted;
  const nodes = rows.slice(0, wanted);
  if (isBackward) nodes.reverse();
  const edges = nodes.map((node) => ({ cursor: encodeCursor(order, keyOf(node)), node }));
  const isAfterCursor = bounds.length > 0;
  return {
    edges,
    nodes,
    pageInfo: {
      startCursor: edges[0]?.cursor ?? null,
      endCursor: edges.at(-1)?.cursor ?? null,
      hasNextPage: isBackward ? isAfterCursor : hasMore,
      hasPreviousPage: isBackward ? hasMore : isAfterCursor,
    },
    totalCount,
  };
}

/** A part of a sort key: as SQL, and of a row that was read. */
export interface SortKey<T> {
  readonly sql: string;
  readonly kind: KeyPart;
  of(row: T): string | number;
}

/** Later than every moment: what has not happened yet sorts as the newest. */
const notYet = Number.MAX_SAFE_INTEGER;

/** A moment that may be missing, as a part of a sort key. */
export const momentKey = <K extends string>(
  alias: string,
  column: K,
): SortKey<Readonly<Record<K, number | null>>> => ({
  sql: `COALESCE(${alias}.${column}, ${notYet})`,
  kind: 'integer',
  of: (row) => row[column] ?? notYet,
});

/** A column as a part of a sort key. */
export const columnKey = <K extends string>(
  alias: string,
  column: K,
  kind: KeyPart,
): SortKey<Readonly<Record<K, string | number>>> => ({
  sql: `${alias}.${column}`,
  kind,
  of: (row) => row[column],
});

/**
 * Reads a page of rows.
 *
 * @param query with its conditions; gets an order and a limit
 * @param keys  what it is ordered by; together unique
 * @param read  executes a read; default: at once
 * @throws server.invalid_cursor, server.invalid_input
 */
export async function readPage<T extends ObjectLiteral>(
  query: SelectQueryBuilder<T>,
  part: PagePart,
  keys: readonly SortKey<NoInfer<T>>[],
  direction: Direction = 'asc',
  read: <R>(work: () => Promise<R>) => Promise<R> = (work) => work(),
): Promise<Page<T>> {
  const kinds = keys.map(({ kind }) => kind);
  const plan = planPage(part, { name: keys[0]?.sql ?? '', kinds, direction });
  const unlimited = query.clone();
  const tuple = `(${keys.map(({ sql }) => sql).join(', ')})`;
  for (const { operator, key } of plan.bounds) {
    const values = key.map((value, index) => [`${operator === '<' ? 'below' : 'above'}${index}`, value]);
    const parameters = values.map(([name]) => `:${name}`).join(', ');
    query.andWhere(`${tuple} ${operator} (${parameters})`, Object.fromEntries(values) as ObjectLiteral);
  }
  keys.forEach(({ sql }, index) => {
    const isColumn = /^\w+\.\w+$/.test(sql);
    if (!isColumn) query.addSelect(sql, `page_key_${index}`);
    query.addOrderBy(isColumn ? sql : `page_key_${index}`, plan.direction);
  });
  query.limit(plan.limit);
  const rows = await limitConcurrency(() => read(() => query.getMany()));
  return toPage(
    plan,
    rows,
    (row) => keys.map((key) => key.of(row)),
    () => limitConcurrency(() => read(() => unlimited.getCount())),
  );
}

function encodeCursor({ name }: ListOrder, key: Key): string {
  return Buffer.from(JSON.stringify([name, ...key])).toString('base64url');
}

/** @throws server.invalid_cursor */
function decodeCursor(cursor: string | null | undefined, { name, kinds }: ListOrder): Key | undefined {
  if (cursor === undefined || cursor === null) return undefined;
  const [list, ...key] = encoded.safeParse(cursor).success ? parseKey(cursor) : [];
  if (
    list === name &&
    key.length === kinds.length &&
    kinds.every((kind, index) => keyParts[kind].safeParse(key[index]).success)
  )
    return key as (string | number)[];
  throw new AppError(
    'server.invalid_cursor',
    `read a page: ${JSON.stringify(cursor.slice(0, 100))} is not a cursor of this list; use the startCursor or endCursor of another page of it`,
  );
}

function parseKey(cursor: string): unknown[] {
  try {
    const parsed: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'));
    return Array.isArray(parsed) ? parsed : [];
  } catch {
    return [];
  }
}

function validatePageSize(wanted: number): number {
  if (Number.isInteger(wanted) && wanted >= 1 && wanted <= maxPageSize) return wanted;
  throw new AppError(
    'server.invalid_input',
    `read a page of ${wanted}: a page has 1 to ${maxPageSize} items; ask for more pages instead`,
  );
}

/**
 * Builds a page of a list in memory.
 *
 * @param all  in ascending order of its keys
 * @throws server.invalid_cursor, server.invalid_input
 */
export function pageOfAll<T>(
  all: readonly T[],
  part: PagePart,
  name: string,
  keyOf: (item: T) => number,
): Page<T> {
  const plan = planPage(part, { name, kinds: ['integer'], direction: 'asc' });
  const within = all.filter((item) =>
    plan.bounds.every(({ operator, key }) =>
      operator === '<' ? keyOf(item) < Number(key[0]) : keyOf(item) > Number(key[0]),
    ),
  );
  const rows = plan.direction === 'ASC' ? within : within.reverse();
  const count = (): Promise<number> => Promise.resolve(all.length);
  return toPage(plan, rows.slice(0, plan.limit), (item) => [keyOf(item)], count);
}
