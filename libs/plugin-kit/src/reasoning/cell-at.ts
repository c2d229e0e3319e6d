/** @file Cells as they are written: `(1, 2)`, `[1, 2]`, `row 1 column 2`. */
import { numberOf, type Token } from './clauses.js';
import type { Cell } from './world.js';

/** A cell at a token: `(1, 2)`, `[1, 2]`, `row 1 column 2`; and the index after it. */
export function cellAt(
  tokens: readonly Token[],
  at: number,
): { readonly cell: Cell; readonly next: number } | undefined {
  const text = (index: number): string => tokens[index]?.text ?? '';
  if (text(at) === '(' || text(at) === '[') {
    const [row, column] = [numberOf(tokens[at + 1]), numberOf(tokens[at + 3])];
    const isClosed = text(at + 2) === ',' && (text(at + 4) === ')' || text(at + 4) === ']');
    return row === undefined || column === undefined || !isClosed
      ? undefined
      : { cell: [row, column], next: at + 5 };
  }
  if (text(at) !== 'row') return undefined;
  const row = numberOf(tokens[at + 1]);
  let next = at + 2;
  while (text(next) === ',' || text(next) === 'and') next++;
  const column = text(next) === 'column' || text(next) === 'col' ? numberOf(tokens[next + 1]) : undefined;
  return row === undefined || column === undefined ? undefined : { cell: [row, column], next: next + 2 };
}
