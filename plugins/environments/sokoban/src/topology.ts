/**
 * @file The first half of level generation, draw for draw as the reference: rooms by a random walk, then player
 * and targets on the floor. The second half is reverse-play.ts.
 */
import type { NumpyLegacy, PythonRandom } from '@espalier/plugin-kit';
import { cells, cellsWith } from './level.js';

const CHANGE_DIRECTION = 0.35;
const walkDirections = [
  [1, 0],
  [0, 1],
  [-1, 0],
  [0, -1],
] as const;

/** Cells that a step of the walk opens, as [row, column] from its position. */
const masks = [
  [
    [0, -1],
    [0, 0],
    [0, 1],
  ],
  [
    [-1, 0],
    [0, 0],
    [1, 0],
  ],
  [
    [0, -1],
    [0, 0],
    [1, 0],
  ],
  [
    [0, -1],
    [0, 0],
    [1, -1],
    [1, 0],
  ],
  [
    [0, 0],
    [0, 1],
    [1, 0],
  ],
] as const;

/** Opens rooms in a field of walls; the border stays closed. */
export function createRooms(random: PythonRandom, rows: number, columns: number): Uint8Array {
  const fixed = new Uint8Array(rows * columns); // [rows · columns]
  let direction = walkDirections[random.below(4)]!;
  let row = random.integer(1, rows - 1);
  let column = random.integer(1, columns - 1);
  const steps = Math.trunc(1.7 * (rows + columns));
  for (let step = 0; step < steps; step++) {
    if (random.random() < CHANGE_DIRECTION) direction = walkDirections[random.below(4)]!;
    row = Math.max(Math.min(row + direction[0], rows - 2), 1);
    column = Math.max(Math.min(column + direction[1], columns - 2), 1);
    for (const [down, right] of masks[random.below(masks.length)]!) {
      fixed[(row + down) * columns + column + right] = cells.floor;
    }
  }
  for (let cell = 0; cell < fixed.length; cell++) {
    const onRow = Math.floor(cell / columns);
    const onColumn = cell % columns;
    if (onRow === 0 || onColumn === 0 || onRow === rows - 1 || onColumn === columns - 1)
      fixed[cell] = cells.wall;
  }
  return fixed;
}

/**
 * Puts targets on the floor (changing `fixed`) and chooses the player's cell.
 *
 * @returns the player's cell, or undefined when the floor is too small
 */
export function placeThings(random: NumpyLegacy, fixed: Uint8Array, boxes: number): number | undefined {
  const floor = cellsWith(fixed, cells.floor);
  if (floor.length <= boxes + 1) return undefined;
  const player = floor.splice(random.integer(floor.length), 1)[0]!;
  for (let box = 0; box < boxes; box++) {
    const target = floor.splice(random.integer(floor.length), 1)[0]!;
    fixed[target] = cells.target;
  }
  return player;
}
