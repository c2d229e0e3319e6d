/** @file The oracle: what is left to place, in the order in which a person could deduce it. */
import type { Puzzle } from './generate.js';
import { candidatesOf, type Geometry, type Grid, type Placement, takenAround } from './grid.js';
import { findSolutions } from './solve.js';

/**
 * Plans from a position: cells with one candidate first, then the only place of a number, then what the solution says.
 * While every number is the solution's, that solution is the goal, as it earns most; else numbers that are wrong are replaced
 * where that can be done.
 *
 * @returns empty where wrong numbers stand in each other's way
 */
export function planFrom(grid: Grid, { solution }: Puzzle, geometry: Geometry): readonly Placement[] {
  const agrees = grid.every((value, cell) => value === 0 || value === solution[cell]);
  const goal = agrees ? solution : (findSolutions(grid, geometry, { limit: 1 }).solutions[0] ?? solution);
  const current = Uint8Array.from(grid);
  const left = new Set([...grid.keys()].filter((cell) => grid[cell] !== goal[cell]));
  const plan: Placement[] = [];
  while (left.size > 0) {
    const cell = chooseCell(current, goal, geometry, left);
    if (cell === undefined) return [];
    current[cell] = goal[cell]!;
    left.delete(cell);
    plan.push({ cell, value: goal[cell]! });
  }
  return plan;
}

function chooseCell(
  grid: Grid,
  goal: Grid,
  geometry: Geometry,
  left: ReadonlySet<number>,
): number | undefined {
  const open = [...left].filter((cell) => (takenAround(grid, geometry, cell) & (1 << goal[cell]!)) === 0);
  return (
    open.find((cell) => candidatesOf(grid, geometry, cell).length === 1) ??
    open.find((cell) =>
      geometry.unitsOf[cell]!.some((unit) =>
        geometry.units[unit]!.every(
          (other) =>
            other === cell ||
            grid[other] !== 0 ||
            (takenAround(grid, geometry, other) & (1 << goal[cell]!)) !== 0,
        ),
      ),
    ) ??
    open[0]
  );
}
