/** @file A Sudoku grid: cells row by row, 0 where empty, and which of them share a row, a column or a box. */

/** 4, 9 or 16 rows. */
export type Size = 4 | 9 | 16;

export type Grid = Uint8Array; // [size · size]

/** Which row, column and box a cell belongs to; units are numbered rows, columns, boxes. */
export interface Geometry {
  readonly size: Size;
  readonly cells: number;
  /** cells of each of the 3 · size units */
  readonly units: readonly (readonly number[])[];
  /** the three units of each cell */
  readonly unitsOf: readonly (readonly [number, number, number])[];
}

/** A number written into a cell. */
export interface Placement {
  readonly cell: number;
  readonly value: number;
}

const geometries = new Map<Size, Geometry>(([4, 9, 16] as const).map((size) => [size, buildGeometry(size)]));

export function geometryOf(size: Size): Geometry {
  return geometries.get(size)!;
}

function buildGeometry(size: Size): Geometry {
  const side = Math.sqrt(size);
  const cells = size * size;
  const units: number[][] = Array.from({ length: 3 * size }, () => []);
  const unitsOf = Array.from({ length: cells }, (_, cell): [number, number, number] => {
    const row = Math.floor(cell / size);
    const column = cell % size;
    const box = Math.floor(row / side) * side + Math.floor(column / side);
    return [row, size + column, 2 * size + box];
  });
  for (const [cell, three] of unitsOf.entries()) for (const unit of three) units[unit]!.push(cell);
  return { size, cells, units, unitsOf };
}

/** Bits 1..size of the numbers in the row, column and box of a cell, the cell itself left out. */
export function takenAround(grid: Grid, { units, unitsOf }: Geometry, cell: number): number {
  let taken = 0;
  for (const unit of unitsOf[cell]!)
    for (const other of units[unit]!) if (other !== cell) taken |= 1 << grid[other]!;
  return taken & ~1;
}

/** Tells whether only one number fits into a cell. */
export function isForced(grid: Grid, geometry: Geometry, cell: number): boolean {
  const all = ((1 << geometry.size) - 1) << 1;
  const open = all & ~takenAround(grid, geometry, cell);
  return open !== 0 && (open & (open - 1)) === 0;
}

/** Numbers that a cell could hold beside its row, column and box. */
export function candidatesOf(grid: Grid, geometry: Geometry, cell: number): number[] {
  const taken = takenAround(grid, geometry, cell);
  return Array.from({ length: geometry.size }, (_, index) => index + 1).filter(
    (value) => (taken & (1 << value)) === 0,
  );
}

/** Tells whether every cell is filled and no number stands twice in a unit. */
export function isSolved(grid: Grid, { size, units }: Geometry): boolean {
  const all = ((1 << size) - 1) << 1;
  return units.every((cells) => cells.reduce((seen, cell) => seen | (1 << grid[cell]!), 0) === all);
}
