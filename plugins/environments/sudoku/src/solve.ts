/**
 * @file Exhaustive search for the solutions of a grid. The cell with the fewest candidates is tried first, or the only
 * place of a number in a unit, so that two solutions are told from one within a few hundred nodes.
 */
import type { RandomStream } from '@espalier/plugin-kit';
import type { Geometry, Grid } from './grid.js';

interface SearchOptions {
  /** stop after this many solutions */
  readonly limit: number;
  /** stop after this many nodes */
  readonly maxNodes?: number;
  /** draws the order in which the numbers of a cell are tried */
  readonly stream?: RandomStream;
}

export interface SearchResult {
  readonly solutions: readonly Grid[];
  /** the whole tree was searched, or `limit` solutions were found */
  readonly isExhausted: boolean;
}

/** Finds solutions of a grid without conflicts. */
export function findSolutions(
  given: Grid,
  geometry: Geometry,
  { limit, maxNodes = 200_000, stream }: SearchOptions,
): SearchResult {
  const { size, cells, units, unitsOf } = geometry;
  const grid = Uint8Array.from(given);
  const all = ((1 << size) - 1) << 1;
  const used = Int32Array.from(
    units,
    (unit) => unit.reduce((seen, cell) => seen | (1 << grid[cell]!), 0) & ~1,
  );
  const solutions: Grid[] = [];
  let nodes = 0;

  const open = (cell: number): number => {
    const at = unitsOf[cell]!;
    return all & ~(used[at[0]]! | used[at[1]]! | used[at[2]]!);
  };

  /** The cell to branch on and the numbers to try; undefined where all cells are filled. */
  const choose = (): { cell: number; mask: number } | undefined => {
    let best = -1;
    let fewest = size + 1;
    for (let cell = 0; cell < cells; cell++) {
      if (grid[cell] !== 0) continue;
      const count = bitCount(open(cell));
      if (count < fewest) {
        fewest = count;
        best = cell;
        if (count <= 1) return { cell, mask: open(cell) };
      }
    }
    return best < 0 ? undefined : (onlyPlace() ?? { cell: best, mask: open(best) });
  };

  /** A number with a single place left in a unit; an empty mask where one has none. */
  const onlyPlace = (): { cell: number; mask: number } | undefined => {
    for (let unit = 0; unit < units.length; unit++) {
      if (used[unit] === all) continue;
      const members = units[unit]!;
      let once = 0;
      let twice = 0;
      for (let place = 0; place < size; place++) {
        const cell = members[place]!;
        if (grid[cell] !== 0) continue;
        const mask = open(cell);
        twice |= once & mask;
        once |= mask;
      }
      if ((once | used[unit]!) !== all) return { cell: members.find((cell) => grid[cell] === 0)!, mask: 0 };
      const single = once & ~twice;
      if (single === 0) continue;
      const mask = single & -single;
      return { cell: members.find((cell) => grid[cell] === 0 && (open(cell) & mask) !== 0)!, mask };
    }
    return undefined;
  };

  const search = (): void => {
    if (solutions.length >= limit || nodes++ >= maxNodes) return;
    const choice = choose();
    if (choice === undefined) {
      solutions.push(Uint8Array.from(grid));
      return;
    }
    const values = valuesIn(choice.mask);
    for (const value of stream?.shuffle(values) ?? values) {
      toggle(choice.cell, value);
      search();
      toggle(choice.cell, value);
    }
  };

  /** Writes a number into a cell, or takes it out again. */
  const toggle = (cell: number, value: number): void => {
    grid[cell] = grid[cell]! ^ value;
    for (const unit of unitsOf[cell]!) used[unit]! ^= 1 << value;
  };

  search();
  return { solutions, isExhausted: solutions.length >= limit || nodes < maxNodes };
}

/** Tells whether a grid has exactly one solution; false also where the search gives up. */
export function isUnique(grid: Grid, geometry: Geometry): boolean {
  const { solutions, isExhausted } = findSolutions(grid, geometry, { limit: 2, maxNodes: 20_000 });
  return isExhausted && solutions.length === 1;
}

/** Set bits of 0..2^31-1, added up in pairs, fours and bytes. */
function bitCount(mask: number): number {
  const pairs = mask - ((mask >>> 1) & 0x55555555);
  const fours = (pairs & 0x33333333) + ((pairs >>> 2) & 0x33333333);
  return Math.imul((fours + (fours >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}

function valuesIn(mask: number): number[] {
  const values: number[] = [];
  for (let rest = mask; rest !== 0; rest &= rest - 1) values.push(31 - Math.clz32(rest & -rest));
  return values;
}
