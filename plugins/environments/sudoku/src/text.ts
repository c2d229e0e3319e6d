/** @file How grids and placements are written and read. Rows and columns are counted from 1, as people do. */
import { candidatesOf, type Geometry, type Grid, type Placement } from './grid.js';

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

const unitNames = ['row', 'col', 'box'] as const;

/**
 * Why a number goes where a plan puts it. A grid of size 4 is copied first, row by row with the rows' numbers: a small model
 * learns to read rows and columns from such a copy, and hardly from the grid itself.
 */
export function explainPlacement(grid: Grid, geometry: Geometry, placement: Placement): string {
  const reason = reasonOf(grid, geometry, placement);
  if (geometry.size > 4) return reason;
  const rows = geometry.units.slice(0, geometry.size).map((cells, row) => {
    const numbers = cells.map((cell) => grid[cell] || '.');
    return `row ${row + 1}: ${numbers.join(' ')}`;
  });
  return `${rows.join(', ')}. ${reason}`;
}

function reasonOf(grid: Grid, geometry: Geometry, { cell, value }: Placement): string {
  const { size } = geometry;
  const place = `row ${Math.floor(cell / size) + 1} col ${(cell % size) + 1}`;
  if (candidatesOf(grid, geometry, cell).length === 1) {
    const taken = geometry.unitsOf[cell]!.map((unit, kind) => {
      const numbers = geometry.units[unit]!.flatMap((other) => grid[other] || []);
      return `${unitNames[kind]} ${numbers.length > 0 ? numbers.join(' ') : 'empty'}`;
    });
    return `${place}: ${taken.join(', ')}, so ${value}.`;
  }
  const unit = geometry.unitsOf[cell]!.find((candidate) =>
    geometry.units[candidate]!.every(
      (other) => other === cell || grid[other] !== 0 || !candidatesOf(grid, geometry, other).includes(value),
    ),
  );
  if (unit === undefined) return `${place} takes ${value}.`;
  const name = unitNames[Math.floor(unit / size)]!;
  return `${name} ${(unit % size) + 1}: ${value} fits only at ${place}.`;
}
