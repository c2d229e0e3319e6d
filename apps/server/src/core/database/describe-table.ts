/** @file Tables in a notation that means the same in SQLite and PostgreSQL. */
import { Table, TableIndex } from 'typeorm';

/**
 * Describes a table.
 *
 * @param columns `name: 'type'`, with `?` behind the type for nullable; text, int, bigint, double precision, boolean; `serial` counts by itself
 * @param indices `name: ['column', …]`; a name that ends in `!` is unique (the mark is no part of the name)
 */
export function describeTable(
  name: string,
  primary: readonly string[],
  columns: Readonly<Record<string, string>>,
  indices: Readonly<Record<string, readonly string[]>> = {},
): Table {
  return new Table({
    name,
    columns: Object.entries(columns).map(([column, text]) => {
      const kind = text.replace(/\?$/, '');
      const isSerial = kind === 'serial';
      return {
        name: column,
        type: isSerial || kind === 'int' ? 'integer' : kind,
        isPrimary: primary.includes(column),
        isNullable: text.endsWith('?'),
        ...(isSerial ? { isGenerated: true, generationStrategy: 'increment' as const } : {}),
      };
    }),
    indices: Object.entries(indices).map(
      ([index, columnNames]) =>
        new TableIndex({
          name: index.replace(/!$/, ''),
          columnNames: [...columnNames],
          isUnique: index.endsWith('!'),
        }),
    ),
  });
}
