/** @file Truths about a position as plain JSON. Cells are [row, column], zero-based. */
import { cells, cellsWith, type Level, position } from './level.js';

/**
 * Lists what is true of a level.
 *
 * @param dead 1 for every cell from which a box never reaches a target
 */
export function factsOf(level: Level, player: number, dead: Uint8Array): Record<string, unknown> {
  const { columns, state, fixed } = level;
  const boxes = cellsWith(state, cells.box, cells.boxOnTarget);
  const targets = cellsWith(fixed, cells.target);
  const [row, column] = position(player, columns);
  /** [rows down, columns right] from the player */
  const relative = (cell: number): [number, number] => [
    position(cell, columns)[0] - row,
    position(cell, columns)[1] - column,
  ];
  return {
    player: [row, column],
    boxes: boxes.map((cell) => position(cell, columns)),
    targets: targets.map((cell) => position(cell, columns)),
    boxesFromPlayer: boxes.map(relative),
    targetsFromPlayer: targets.map(relative),
    boxesOnTarget: boxes.filter((cell) => state[cell] === cells.boxOnTarget).length,
    walls: [-columns, columns, -1, 1].map((offset) => state[player + offset] === cells.wall),
    deadlock: boxes.some((cell) => dead[cell] === 1),
  };
}
