/** @file Hand-written SQL for both databases. Names in camel case stand in double quotes, which both understand. */
import type { EntityManager } from 'typeorm';

/** Returns whether a manager uses PostgreSQL. */
export function isPostgres(manager: Pick<EntityManager, 'connection'>): boolean {
  return manager.connection.options.type === 'postgres';
}

/** A condition: a column contains the text of a parameter, in this case; LIKE of SQLite knows no case. */
export const containing = (
  manager: Pick<EntityManager, 'connection'>,
  column: string,
  parameter = '?',
): string => `${isPostgres(manager) ? 'strpos' : 'instr'}(${column}, ${parameter}) > 0`;

/** A pattern of LIKE with ESCAPE '!' for texts that contain a text. */
export const likeContaining = (text: string): string => `%${text.replaceAll(/[!%_]/g, '!$&')}%`;

/**
 * Runs a statement with `?` for each value. PostgreSQL's bigint values are returned as text: wrap them in
 * Number; booleans of SQLite are 0 and 1.
 */
export async function runSql<T = Record<string, unknown>>(
  manager: EntityManager,
  statement: string,
  values: readonly unknown[] = [],
): Promise<T[]> {
  let index = 0;
  const text = isPostgres(manager) ? statement.replace(/\?/g, () => `$${++index}`) : statement;
  const bound = isPostgres(manager)
    ? [...values]
    : values.map((value) => (typeof value === 'boolean' ? Number(value) : value));
  const rows = (await manager.query<unknown[]>(text, bound)) as T[];
  // for UPDATE and DELETE, TypeORM returns rows and their count
  return isPostgres(manager) && /^\s*(UPDATE|DELETE)/.test(text) ? (rows[0] as T[]) : rows;
}
