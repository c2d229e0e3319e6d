/**
 * @file Tables as JSON Lines, CSV (RFC 4180) and Parquet. Equal tables give equal bytes. Numbers keep all their bits: in
 * the text formats they are written in the shortest form that reads back to the same number.
 */
import type * as ParquetLibrary from 'hyparquet-writer';
import type { ExportFormat } from '@espalier/protocol';

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

/** Rows of a Parquet row group, as near as chunks allow, and its cells: a wide table has fewer rows in each. */
const groupRows = 20_000;
const groupCells = 4_000_000;

/** Encodes a table; `count` is told the rows of each chunk. */
export function encodeTable(
  table: ExportTable,
  format: ExportFormat,
  count: (rows: number) => void = () => undefined,
): AsyncGenerator<Buffer> {
  if (format === 'jsonl') return toJsonLines(table, count);
  return format === 'csv' ? toCsv(table, count) : toParquet(table, count);
}

/** Characters of text that are sent together. */
const textChunk = 64 * 1024;

async function* toJsonLines({ chunks }: ExportTable, count: (rows: number) => void): AsyncGenerator<Buffer> {
  yield* toBytes(chunks, count, (row) => `${JSON.stringify(Object.fromEntries(row))}\n`);
}

async function* toCsv(
  { columns, chunks }: ExportTable,
  count: (rows: number) => void,
): AsyncGenerator<Buffer> {
  yield Buffer.from(`${columns.map(({ name }) => toCsvCell(name)).join(',')}\r\n`);
  yield* toBytes(
    chunks,
    count,
    (row) => `${columns.map(({ name }) => toCsvCell(row.get(name))).join(',')}\r\n`,
  );
}

/** A row may have thousands of columns: it is written alone, and no more of them are held than are sent together. */
async function* toBytes(
  chunks: ExportTable['chunks'],
  count: (rows: number) => void,
  encode: (row: Row) => string,
): AsyncGenerator<Buffer> {
  let text = '';
  for await (const rows of chunks) {
    count(rows.length);
    for (const row of rows) {
      text += encode(row);
      if (text.length < textChunk) continue;
      yield Buffer.from(text);
      text = '';
    }
  }
  if (text !== '') yield Buffer.from(text);
}

/** What a spreadsheet would take for a formula. */
const formula = /^[=+\-@\t\r]/;

/**
 * Nothing where there is no value; an empty text is quoted, so that it differs from that. Before text that a
 * spreadsheet would compute stands an apostrophe; numbers stay as they are.
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
  count: (rows: number) => void,
): AsyncGenerator<Buffer> {
  // loaded where it is used: a server starts more often than somebody exports
  const { ByteWriter, ParquetWriter, schemaFromColumnData } = await import('hyparquet-writer');
  const writer = new ByteWriter(1 << 20);
  const schema = schemaFromColumnData({ columnData: describeColumns(columns) });
  const parquet = new ParquetWriter({ writer, schema, createdBy: 'espalier' });
  const mostRows = Math.min(groupRows, Math.ceil(groupCells / columns.length));
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
    count(rows.length);
    group.push(...rows);
    if (group.length < mostRows) continue;
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
