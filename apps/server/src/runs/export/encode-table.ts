/**
 * @file Tables as JSON Lines, CSV (RFC 4180) and Parquet. Equal tables give equal bytes. Numbers keep all their bits: in
 * the text formats they are written in the shortest form that reads back to the same number.
 */
import type * as ParquetLibrary from 'hyparquet-writer';
import type { ExportFormat } from '@espalier/protocol';
import type { Cell, ExportColumn, ExportTable } from './export-table.js';

/** Rows of a Parquet row group, as near as chunks allow. */
const groupRows = 20_000;

/** Encodes a table; `count` is told the rows of each chunk. */
export function encodeTable(
  table: ExportTable,
  format: ExportFormat,
  count: (rows: number) => void = () => undefined,
): AsyncGenerator<Buffer> {
  if (format === 'jsonl') return toJsonLines(table, count);
  return format === 'csv' ? toCsv(table, count) : toParquet(table, count);
}

async function* toJsonLines(
  { columns, chunks }: ExportTable,
  count: (rows: number) => void,
): AsyncGenerator<Buffer> {
  for await (const rows of chunks) {
    const lines = rows.map((row) => {
      const entries = columns.map(({ name }, index) => [name, row[index]] as const);
      return `${JSON.stringify(Object.fromEntries(entries.filter(([, value]) => value !== undefined)))}\n`;
    });
    count(rows.length);
    yield Buffer.from(lines.join(''));
  }
}

async function* toCsv(
  { columns, chunks }: ExportTable,
  count: (rows: number) => void,
): AsyncGenerator<Buffer> {
  yield Buffer.from(`${columns.map(({ name }) => toCsvCell(name)).join(',')}\r\n`);
  for await (const rows of chunks) {
    count(rows.length);
    yield Buffer.from(rows.map((row) => `${row.map(toCsvCell).join(',')}\r\n`).join(''));
  }
}

/** Nothing where there is no value; an empty text is quoted, so that it differs from that. */
function toCsvCell(value: Cell): string {
  if (value === null || value === undefined) return '';
  const text = typeof value === 'object' ? JSON.stringify(value) : String(value);
  return text === '' || /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

async function* toParquet(
  { columns, chunks }: ExportTable,
  count: (rows: number) => void,
): AsyncGenerator<Buffer> {
  // loaded where it is used: a server starts more often than somebody exports
  const { ByteWriter, ParquetWriter, schemaFromColumnData } = await import('hyparquet-writer');
  const writer = new ByteWriter(1 << 20);
  const schema = schemaFromColumnData({ columnData: describeColumns(columns) });
  const parquet = new ParquetWriter({ writer, schema, createdBy: 'espalier' });
  let group: (readonly Cell[])[] = [];
  const writeGroup = async (): Promise<void> => {
    const columnData = columns.map(({ name, type }, index) => ({
      name,
      data: group.map((row) => toParquetCell(row[index], type)) as never,
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
    if (group.length < groupRows) continue;
    await writeGroup();
    yield drain();
  }
  if (group.length > 0) await writeGroup();
  await parquet.finish();
  yield drain();
}

function describeColumns(columns: readonly ExportColumn[]): ParquetLibrary.ColumnSource[] {
  return columns.map(({ name, type }) => ({
    ...{ name, data: [] as never, nullable: true },
    type: type === 'JSON' ? ('STRING' as const) : type,
  }));
}

function toParquetCell(value: Cell, type: ExportColumn['type']): unknown {
  if (value === null || value === undefined) return undefined;
  if (type === 'INT64') return BigInt(value as number);
  return type === 'JSON' ? JSON.stringify(value) : value;
}
