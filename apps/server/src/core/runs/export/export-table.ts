/** @file A table on its way out of the server: columns, and rows in chunks. */

export type ColumnType = 'INT64' | 'INT32' | 'DOUBLE' | 'BOOLEAN' | 'STRING' | 'JSON';

export interface ExportColumn {
  readonly name: string;
  readonly type: ColumnType;
}

/** A value of a cell. */
export type Cell = number | string | boolean | object | null;

/** The cells that a row has, by column, in the order of the columns. */
export type Row = ReadonlyMap<string, Cell>;

export interface ExportTable {
  readonly columns: readonly ExportColumn[];
  readonly chunks: AsyncIterable<readonly Row[]>;
}
