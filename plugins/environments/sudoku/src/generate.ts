/** @file Puzzles by seed: a full grid by random backtracking, then cells are emptied in random order. */
import { AppError, createStream, type RandomStream } from '@espalier/plugin-kit';
import { type Geometry, geometryOf, type Grid, isForced, type Size } from './grid.js';
import { findSolutions, isUnique } from './solve.js';

export interface PuzzleOptions {
  readonly size: Size;
  /** share of cells to empty */
  readonly empty: number;
  /** whether the solution must stay the only one */
  readonly puzzles: 'unique' | 'any';
}

export interface Puzzle {
  readonly given: Grid;
  /** the grid that the puzzle was made from */
  readonly solution: Grid;
}

/** How many cells a puzzle leaves empty, at most: rounded down as in RAGEN-2, but never none. */
export function emptyCells({ size, empty }: Pick<PuzzleOptions, 'size' | 'empty'>): number {
  return Math.max(1, Math.floor(size * size * empty));
}

/** Draws the puzzle of a seed. A unique one has fewer empty cells where no further one can be emptied. */
export function drawPuzzle(seed: number, options: PuzzleOptions): Puzzle {
  const stream = createStream(seed);
  const geometry = geometryOf(options.size);
  const solution = drawFullGrid(stream, geometry);
  const given = Uint8Array.from(solution);
  let left = emptyCells(options);
  for (const cell of stream.shuffle([...given.keys()])) {
    if (left === 0) break;
    given[cell] = 0;
    // a number that nothing else can replace leaves the only solution the only one
    if (options.puzzles === 'any' || isForced(given, geometry, cell) || isUnique(given, geometry)) left--;
    else given[cell] = solution[cell]!;
  }
  return { given, solution };
}

/** A full grid; a search that takes long is begun anew, with other draws. */
function drawFullGrid(stream: RandomStream, geometry: Geometry): Grid {
  for (let attempt = 0; attempt < 1000; attempt++) {
    const nothing = new Uint8Array(geometry.cells);
    const [full] = findSolutions(nothing, geometry, { limit: 1, maxNodes: 2000, stream }).solutions;
    if (full !== undefined) return full;
  }
  throw new AppError('plugin.failed', 'reset: found no full grid in 1000 searches; try another seed');
}
