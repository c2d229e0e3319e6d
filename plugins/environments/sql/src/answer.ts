/** @file What a player states as the result of a query. */
import { areSameRows, type Cell, type Row } from './cells.js';

/** Longest answer that is read. */
const maxAnswer = 20_000;

/** Whether an answer states these rows. */
export function isRightAnswer(text: string, rows: readonly Row[], isOrdered: boolean): boolean {
  if (text.length > maxAnswer) return false;
  const width = rows[0]?.length ?? 0;
  const stated = parseJson(text, width) ?? parsePlain(text, width);
  return areSameRows(stated, rows, isOrdered);
}

/** An answer in JSON: one value, a list, or a list of rows; undefined where it is none. */
function parseJson(text: string, width: number): Row[] | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  const list: readonly unknown[] = Array.isArray(value) ? value : [value];
  if (list.every(Array.isArray)) return list.map((row) => toRow(row as unknown[]) ?? []);
  const row = toRow(list);
  if (row === undefined) return undefined;
  return width === 1 ? row.map((cell) => [cell]) : [row];
}

function toRow(list: readonly unknown[]): Row | undefined {
  const cells = list.map((value): Cell | undefined => {
    if (typeof value === 'boolean') return Number(value);
    return value === null || typeof value === 'number' || typeof value === 'string' ? value : undefined;
  });
  return cells.includes(undefined) ? undefined : (cells as Cell[]);
}

/** An answer as a person writes it: a row per line, its values separated by `|`. */
function parsePlain(text: string, width: number): Row[] {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .map((line) =>
      (width === 1 ? [line] : line.split('|').map((part) => part.trim())).map((part) =>
        part === 'NULL' ? null : part,
      ),
    );
}
