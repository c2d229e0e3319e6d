/** @file A table on its way out of the server: columns, and rows in chunks. */

export type ColumnType = 'INT64' | 'INT32' | 'DOUBLE' | 'BOOLEAN' | 'STRING' | 'JSON';

export interface ExportColumn {
  readonly name: string;
  readonly type: ColumnType;
}

/** A value of a cell; undefined where a row has none. */
export type Cell = number | string | boolean | object | null | undefined;

export interface ExportTable {
  readonly columns: readonly ExportColumn[];
  /** chunks of rows, each row a cell per column */
  readonly chunks: AsyncIterable<readonly (readonly Cell[])[]>;
}
