import { describe, expect, it } from 'vitest';
import { encodeTable } from './encode-table.js';
import type { Cell, ExportTable, Row } from './encode-table.js';

async function encode(
  rows: readonly (readonly [string, Cell][])[],
  columns: readonly string[],
): Promise<Buffer[]> {
  async function* chunks(): AsyncGenerator<Row[]> {
    yield await Promise.resolve(rows.map((row) => new Map(row)));
  }
  const table: ExportTable = {
    columns: columns.map((name) => ({ name, type: 'STRING' })),
    chunks: chunks(),
  };
  const parts: Buffer[] = [];
  for await (const part of encodeTable(table, 'csv')) parts.push(part);
  return parts;
}

describe('cells of CSV', () => {
  it.each([
    ['=HYPERLINK("http://x")', '"\'=HYPERLINK(""http://x"")"'],
    ['+cmd', "'+cmd"],
    ['-2+3', "'-2+3"],
    ['@SUM(A1)', "'@SUM(A1)"],
    ['\t=1', '"\'\t=1"'],
    ['\r=1', '"\'\r=1"'],
    ['-1.5e-7', '-1.5e-7'],
    ['a=b', 'a=b'],
    [-1.5, '-1.5'],
    [{ '=': 1 }, '"{""="":1}"'],
    [null, ''],
    ['', '""'],
  ])('%j is written as %s', async (value, written) => {
    const [, row] = await encode([[['a', value]]], ['a']);
    expect(String(row)).toBe(`${written}\r\n`);
  });

  it('of a wide table are sent row by row', async () => {
    const columns = Array.from({ length: 2000 }, (_, index) => `metric/number-${index}`);
    const rows = Array.from({ length: 500 }, (_, step): [string, Cell][] => [
      [columns[step] ?? '', 'x'.repeat(100)],
    ]);
    const parts = await encode(rows, columns);
    expect(parts.length).toBeGreaterThan(10);
    expect(Math.max(...parts.map(({ length }) => length))).toBeLessThan(100_000);
  });
});
