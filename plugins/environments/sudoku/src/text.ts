/** @file How grids and placements are written and read. Rows and columns are counted from 1, as people do. */
import { candidatesOf, type Geometry, type Grid, type Placement, takenAround } from './grid.js';

/** Rows of numbers with `.` for empty cells; bars and lines between boxes. */
export function gridText(grid: Grid, { size }: Geometry): string {
  const side = Math.sqrt(size);
  const cells = cellTexts.get(size)!;
  let text = '';
  let rule = '';
  for (let row = 0; row < size; row++) {
    let line = '';
    for (let column = 0; column < size; column++) {
      if (column > 0) line += column % side === 0 ? ' | ' : ' ';
      line += cells[grid[row * size + column]!]!;
    }
    if (row === 0) rule = line.replace(/[^|]/g, '-').replace(/\|/g, '+');
    else text += row % side === 0 ? `\n${rule}\n` : '\n';
    text += line;
  }
  return text;
}

/** What stands for each number, `.` for none. */
const cellTexts: ReadonlyMap<number, readonly string[]> = new Map(
  [4, 9, 16].map((size) => [
    size,
    Array.from({ length: size + 1 }, (_, value) =>
      (value === 0 ? '.' : String(value)).padStart(size > 9 ? 2 : 1),
    ),
  ]),
);

const longest = 60;
const patterns = [
  /^place (?<value>\d{1,3}) at row (?<row>\d{1,3}),? col(?:umn)? (?<column>\d{1,3})$/,
  /^(?:place )?(?<value>\d{1,3}) at \( ?(?<row>\d{1,3}) ?, ?(?<column>\d{1,3}) ?\)$/,
  /^(?:place )?(?<value>\d{1,3}) at (?<row>\d{1,3}) ?, ?(?<column>\d{1,3})$/,
  /^\( ?(?<row>\d{1,3}) ?, ?(?<column>\d{1,3}) ?, ?(?<value>\d{1,3}) ?\)$/,
  /^(?<row>\d{1,3}) ?, ?(?<column>\d{1,3}) ?, ?(?<value>\d{1,3})$/,
  /^(?<row>\d{1,3}) (?<column>\d{1,3}) (?<value>\d{1,3})$/,
];

/**
 * Reads `place 3 at row 1 col 2`, `place 3 at (1, 2)`, `3 at 1,2`, `(1,2,3)` or `1,2,3`.
 *
 * @returns undefined where the text says none of these, or its numbers are outside of the grid
 */
export function readPlacement(text: string, { size }: Geometry): Placement | undefined {
  if (text.length > longest) return undefined;
  const plain = text.trim().toLowerCase().replace(/\s+/g, ' ');
  for (const pattern of patterns) {
    const { groups } = pattern.exec(plain) ?? {};
    if (groups === undefined) continue;
    const [row, column, value] = [groups['row'], groups['column'], groups['value']].map(Number);
    const isInside = [row, column, value].every((number) => number! >= 1 && number! <= size);
    return isInside ? { cell: (row! - 1) * size + column! - 1, value: value! } : undefined;
  }
  return undefined;
}

/** The shortest form, `1,2,3`. */
export function writePlacement({ cell, value }: Placement, { size }: Geometry): string {
  return `${Math.floor(cell / size) + 1},${(cell % size) + 1},${value}`;
}

/** Why a number goes where a plan puts it. */
export function explainPlacement(grid: Grid, geometry: Geometry, { cell, value }: Placement): string {
  const { size } = geometry;
  const place = `row ${Math.floor(cell / size) + 1} col ${(cell % size) + 1}`;
  if (candidatesOf(grid, geometry, cell).length === 1) {
    const taken = takenAround(grid, geometry, cell);
    const others = Array.from({ length: size }, (_, index) => index + 1).filter((n) => taken & (1 << n));
    return `${place}: ${others.join(' ')} taken, so ${value}.`;
  }
  const unit = geometry.unitsOf[cell]!.find((candidate) =>
    geometry.units[candidate]!.every(
      (other) => other === cell || grid[other] !== 0 || !candidatesOf(grid, geometry, other).includes(value),
    ),
  );
  if (unit === undefined) return `${place} takes ${value}.`;
  const name = ['row', 'col', 'box'][Math.floor(unit / size)]!;
  return `${name} ${(unit % size) + 1}: ${value} fits only at ${place}.`;
}
