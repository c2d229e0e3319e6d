/**
 * @file A Sokoban level and what its cells mean; the codes are the reference's.
 */

/** Codes of cells. A level's `fixed` grid has wall, floor, target; its `state` grid has all but `movedBox`. */
export const cells = { wall: 0, floor: 1, target: 2, boxOnTarget: 3, box: 4, player: 5 } as const;

/** Cells are numbered row by row. */
export interface Level {
  readonly rows: number;
  readonly columns: number;
  /** wall, floor or target: what lies under boxes and player */
  readonly fixed: Uint8Array; // [rows · columns]
  /** what is seen from above */
  readonly state: Uint8Array; // [rows · columns]
}

export const actionNames = ['Up', 'Down', 'Left', 'Right'] as const;

/** How far each action moves on the flat grid. */
export function offsets(columns: number): readonly [number, number, number, number] {
  return [-columns, columns, -1, 1];
}

/** Cells with a code, in reading order. */
export function cellsWith(grid: Uint8Array, ...codes: readonly number[]): number[] {
  const found: number[] = [];
  for (let cell = 0; cell < grid.length; cell++) if (codes.includes(grid[cell]!)) found.push(cell);
  return found;
}

/** Row and column, zero-based. */
export function position(cell: number, columns: number): [number, number] {
  return [Math.floor(cell / columns), cell % columns];
}

/** Steps between two cells when nothing is in the way. */
export function manhattan(a: number, b: number, columns: number): number {
  const [rowA, columnA] = position(a, columns);
  const [rowB, columnB] = position(b, columns);
  return Math.abs(rowA - rowB) + Math.abs(columnA - columnB);
}
