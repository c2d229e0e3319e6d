/**
 * @file Sudoku one number at a time, by the rules of RAGEN-2: the solution's number, another that fits, and one that
 * does not are rewarded differently, and nothing but the last number ends the game. A number may replace another that was
 * placed, never a given one; by default only the first number of a cell is rewarded.
 */
import {
  createStream,
  type EnvironmentInstance,
  type Observation,
  type StepResult,
} from '@espalier/plugin-kit';
import { drawPuzzle, type Puzzle, type PuzzleOptions } from './generate.js';
import { candidatesOf, geometryOf, type Grid, isSolved, type Placement, takenAround } from './grid.js';
import { sudokuPicture } from './picture.js';
import { planFrom } from './plan.js';
import { explainPlacement, gridText, readPlacement, writePlacement } from './text.js';

export interface SudokuOptions extends PuzzleOptions {
  readonly correct: number;
  readonly fitting: number;
  readonly refused: number;
  readonly solved: number;
  /** which numbers of a cell are rewarded */
  readonly pays: 'first' | 'every';
}

interface Snapshot {
  readonly grid: readonly number[];
  readonly given: readonly number[];
  readonly solution: readonly number[];
}

const snapshotOf = (grid: Grid, { given, solution }: Puzzle): Snapshot => ({
  grid: [...grid],
  given: [...given],
  solution: [...solution],
});

/** Creates one grid; `reset` draws its puzzle. */
export function createSudoku(options: SudokuOptions): EnvironmentInstance {
  const geometry = geometryOf(options.size);
  let puzzle: Puzzle = {
    given: new Uint8Array(geometry.cells),
    solution: new Uint8Array(geometry.cells),
  };
  let grid: Grid = puzzle.given;

  const observe = (): Observation => {
    const text = gridText(grid, geometry);
    return { text, stateKey: text };
  };
  const refuse = (valid: boolean): StepResult => ({
    observation: observe(),
    reward: options.refused,
    done: false,
    success: false,
    valid,
    effective: false,
  });
  const plan = (): readonly Placement[] => planFrom(grid, puzzle, geometry);
  const emptyOf = (): number[] => [...grid.keys()].filter((cell) => grid[cell] === 0);

  return {
    reset: ({ state }) => {
      puzzle = drawPuzzle(state, options);
      grid = Uint8Array.from(puzzle.given);
      return observe();
    },
    step: (action) => {
      const placement = readPlacement(action, geometry);
      if (placement === undefined || puzzle.given[placement.cell] !== 0) return refuse(false);
      const { cell, value } = placement;
      const isTaken = (takenAround(grid, geometry, cell) & (1 << value)) !== 0;
      if (isTaken || grid[cell] === value) return refuse(true);
      // no action empties a cell, so a cell that is empty has never paid
      const isPaid = options.pays === 'every' || grid[cell] === 0;
      grid[cell] = value;
      const done = isSolved(grid, geometry);
      const worth = puzzle.solution[cell] === value ? options.correct : options.fitting;
      const reward = (isPaid ? worth : 0) + (done ? options.solved : 0);
      return { observation: observe(), reward, done, success: done, valid: true, effective: true };
    },
    render: () => gridText(grid, geometry),
    picture: () => sudokuPicture(grid, puzzle.given, geometry),
    oracle: () => plan().map((placement) => writePlacement(placement, geometry)),
    sampleAction: (seed) => {
      const stream = createStream(seed);
      const fitting = emptyOf().filter((cell) => candidatesOf(grid, geometry, cell).length > 0);
      const cell = stream.pick(
        fitting.length > 0 ? fitting : [...grid.keys()].filter((candidate) => puzzle.given[candidate] === 0),
      );
      const candidates = candidatesOf(grid, geometry, cell);
      const value = candidates.length > 0 ? stream.pick(candidates) : 1 + stream.int(options.size);
      return writePlacement({ cell, value }, geometry);
    },
    explain: (actions) => {
      const first = actions[0] === undefined ? undefined : readPlacement(actions[0], geometry);
      return first === undefined ? 'Nothing fits any more.' : explainPlacement(grid, geometry, first);
    },
    facts: () => ({
      grid: rowsOf(grid),
      given: rowsOf(puzzle.given),
      empty: emptyOf().length,
      wrong: [...grid.keys()].filter((cell) => grid[cell] !== 0 && grid[cell] !== puzzle.solution[cell])
        .length,
    }),
    snapshot: () => snapshotOf(grid, puzzle),
    restore: (snapshot) => {
      const { grid: saved, given, solution } = snapshot as Snapshot;
      puzzle = { given: Uint8Array.from(given), solution: Uint8Array.from(solution) };
      grid = Uint8Array.from(saved);
    },
  };

  function rowsOf(cells: Grid): number[][] {
    return Array.from({ length: options.size }, (_, row) => [
      ...cells.subarray(row * options.size, (row + 1) * options.size),
    ]);
  }
}
