/** @file Queries without the columns that may be long, and a loader for those columns. */
import { type DataSource, type EntityTarget, In, type ObjectLiteral, type SelectQueryBuilder } from 'typeorm';
import { createBatchLoader } from './batch-loader.js';
import { limitConcurrency } from './limit-concurrency.js';

/** rows whose long column is read at once */
const rowsPerQuery = 20;

/** Restricts a query to all columns but some. */
export function omitColumns<T extends ObjectLiteral>(
  query: SelectQueryBuilder<T>,
  columns: readonly (keyof T & string)[],
): SelectQueryBuilder<T> {
  const known = query.connection.getMetadata(query.expressionMap.mainAlias?.target ?? '').columns;
  const read = known.filter(({ propertyName }) => !columns.includes(propertyName));
  return query.select(read.map(({ propertyName }) => `${query.alias}.${propertyName}`));
}

/** Creates a reader of one column by the id of its row, for rows that were read without it. */
export function createColumnLoader<T extends ObjectLiteral & { id: string }, K extends keyof T & string>(
  source: DataSource,
  entity: EntityTarget<T>,
  column: K,
): (id: string) => Promise<T[K] | undefined> {
  return createBatchLoader(async (ids) => {
    const query = source.getRepository(entity).createQueryBuilder('row');
    query.select(['row.id', `row.${column}`]).where({ id: In([...ids]) });
    const rows = await limitConcurrency(() => query.getMany());
    return new Map(rows.map((row) => [row.id, row[column]]));
  }, rowsPerQuery);
}
