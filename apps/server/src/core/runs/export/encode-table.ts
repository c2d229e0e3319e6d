/**
 * @file Tables as JSON Lines, CSV (RFC 4180) and Parquet. Equal tables give equal bytes. In the text
 * formats a number is written in the shortest form that reads back to the same number.
 */
import type * as ParquetLibrary from 'hyparquet-writer';
import type { ExportFormat } from '@espalier/protocol/export';

type ColumnType = 'INT64' | 'INT32' | 'DOUBLE' | 'BOOLEAN' | 'STRING' | 'JSON';

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

/** A Parquet row group has at most this many rows and cells, rounded up to a chunk. */
const maxGroupRows = 20_000;
const maxGroupCells = 4_000_000;

/** Encodes a table. @param onRows called with the number of rows of each chunk */
export function encodeTable(
  table: ExportTable,
  format: ExportFormat,
  onRows: (rows: number) => void = () => undefined,
): AsyncGenerator<Buffer> {
  if (format === 'jsonl') return toJsonLines(table, onRows);
  return format === 'csv' ? toCsv(table, onRows) : toParquet(table, onRows);
}

/** Characters of a chunk of text. */
const textChunk = 64 * 1024;

async function* toJsonLines({ chunks }: ExportTable, onRows: (rows: number) => void): AsyncGenerator<Buffer> {
  yield* toBytes(chunks, onRows, (row) => `${JSON.stringify(Object.fromEntries(row))}\n`);
}

async function* toCsv(
  { columns, chunks }: ExportTable,
  onRows: (rows: number) => void,
): AsyncGenerator<Buffer> {
  yield Buffer.from(`${columns.map(({ name }) => toCsvCell(name)).join(',')}\r\n`);
  yield* toBytes(
    chunks,
    onRows,
    (row) => `${columns.map(({ name }) => toCsvCell(row.get(name))).join(',')}\r\n`,
  );
}

/** A row may have thousands of columns, so rows are encoded one by one. */
async function* toBytes(
  chunks: ExportTable['chunks'],
  onRows: (rows: number) => void,
  encode: (row: Row) => string,
): AsyncGenerator<Buffer> {
  let text = '';
  for await (const rows of chunks) {
    onRows(rows.length);
    for (const row of rows) {
      text += encode(row);
      if (text.length < textChunk) continue;
      yield Buffer.from(text);
      text = '';
    }
  }
  if (text !== '') yield Buffer.from(text);
}

/** Text that a spreadsheet would evaluate. */
const formula = /^[=+\-@\t\r]/;

/**
 * A missing value is empty, an empty text is quoted. Text that a spreadsheet would evaluate gets an apostrophe in front;
 * numbers do not.
 */
function toCsvCell(value: Cell | undefined): string {
  if (value === null || value === undefined) return '';
  const plain = typeof value === 'object' ? JSON.stringify(value) : String(value);
  const text = typeof value === 'string' && formula.test(plain) && !isNumber(plain) ? `'${plain}` : plain;
  return text === '' || /[",\r\n\t]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

const isNumber = (text: string): boolean => /^[+-]?\d+(\.\d+)?(e[+-]?\d+)?$/i.test(text);

async function* toParquet(
  { columns, chunks }: ExportTable,
  onRows: (rows: number) => void,
): AsyncGenerator<Buffer> {
  // loaded on first use, because servers start more often than they export
  const { ByteWriter, ParquetWriter, schemaFromColumnData } = await import('hyparquet-writer');
  const writer = new ByteWriter(1 << 20);
  const schema = schemaFromColumnData({ columnData: describeColumns(columns) });
  const parquet = new ParquetWriter({ writer, schema, createdBy: 'espalier' });
  const maxRows = Math.min(maxGroupRows, Math.ceil(maxGroupCells / columns.length));
  let group: Row[] = [];
  const writeGroup = async (): Promise<void> => {
    const columnData = columns.map(({ name, type }) => ({
      name,
      data: group.map((row) => toParquetCell(row.get(name), type)) as never,
    }));
    await parquet.write({ columnData, rowGroupSize: Math.max(1, group.length) });
    group = [];
  };
  const drain = (): Buffer => {
    const bytes = Buffer.from(writer.getBytes());
    writer.index = 0;
    return bytes;
  };
  for await (const rows of chunks) {
    onRows(rows.length);
    group.push(...rows);
    if (group.length < maxRows) continue;
    await writeGroup();
    yield drain();
  }
  if (group.length > 0) await writeGroup();
  await parquet.finish();
  yield drain();
}

function describeColumns(columns: readonly ExportColumn[]): ParquetLibrary.ColumnSource[] {
  return columns.map(({ name, type }) => ({
    name,
    data: [] as never,
    nullable: true,
    type: type === 'JSON' ? ('STRING' as const) : type,
  }));
}

function toParquetCell(value: Cell | undefined, type: ExportColumn['type']): unknown {
  if (value === null || value === undefined) return undefined;
  if (type === 'INT64') return BigInt(value as number);
  return type === 'JSON' ? JSON.stringify(value) : value;
}
