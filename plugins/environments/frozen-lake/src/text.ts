/**
 * @file What a lake looks like: the reference's grid, coordinate lists, the view from the player, and short sentences for
 * warm starts.
 */
import { actionNames, type LakeMap, neighbour } from './map.js';

export const legend = {
  P: 'player',
  _: 'frozen',
  O: 'hole',
  G: 'goal',
  X: 'player in hole',
  '√': 'player on goal',
} as const;

/** The bare grid: rows joined by newlines. */
export function gridText(map: LakeMap, player: number): string {
  const rows: string[] = [];
  for (let row = 0; row < map.size; row++) {
    let line = '';
    for (let cell = row * map.size; cell < (row + 1) * map.size; cell++) line += symbolAt(map, player, cell);
    rows.push(line);
  }
  return rows.join('\n');
}

function symbolAt(map: LakeMap, player: number, cell: number): string {
  if (cell === player) return map.holes[cell] === 1 ? 'X' : cell === map.goal ? '√' : 'P';
  return map.holes[cell] === 1 ? 'O' : cell === map.goal ? 'G' : '_';
}

/** Row and column of a cell, zero-based. */
export function position(cell: number, size: number): [number, number] {
  return [Math.floor(cell / size), cell % size];
}

/** Coordinate lists: start, goal, player, holes. */
export function coordinateText(map: LakeMap, player: number): string {
  const at = (cell: number): string => coordinates(map, cell);
  const holes = [...map.holes.keys()].filter((cell) => map.holes[cell] === 1);
  const label =
    map.holes[player] === 1 ? 'Player in hole' : player === map.goal ? 'Player on goal' : 'Player';
  return [
    `Board size: ${map.size} rows x ${map.size} cols (zero-indexed).`,
    `Start: ${at(map.start)}`,
    `Goal: ${at(map.goal)}`,
    `${label}: ${at(player)}`,
    ...(holes.length > 0 ? [`Holes: ${holes.map(at).join(', ')}`] : []),
  ].join('\n');
}

/**
 * The lake from where the player stands: `Goal: 2 down 1 right`, then what is next to it, clockwise from the left as the actions
 * are ordered. It names cells one step away only, so holes further off are not seen.
 */
export function relativeText(map: LakeMap, player: number): string {
  const neighbours = actionNames.map((name, direction) => {
    const cell = neighbour(player, direction, map.size);
    return `${name}: ${cell === player ? 'edge' : map.holes[cell] === 1 ? 'hole' : cell === map.goal ? 'goal' : 'ice'}`;
  });
  const where = map.holes[player] === 1 ? 'You are in a hole.\n' : '';
  return `${where}Goal: ${goalOffset(map, player)}\n${neighbours.join(', ')}`;
}

/** Directions in which a hole is next to the player, lower case, in the order of the actions. */
export function holeDirections(map: LakeMap, player: number): string[] {
  return actionNames
    .filter((_, direction) => map.holes[neighbour(player, direction, map.size)] === 1)
    .map((name) => name.toLowerCase());
}

/** Where the goal lies from the player: `2 down 1 right`, or `here`. */
export function goalOffset(map: LakeMap, player: number): string {
  const [row, column] = position(player, map.size);
  const [goalRow, goalColumn] = position(map.goal, map.size);
  const down = goalRow - row;
  const right = goalColumn - column;
  const parts = [
    ...(down === 0 ? [] : [`${Math.abs(down)} ${down > 0 ? 'down' : 'up'}`]),
    ...(right === 0 ? [] : [`${Math.abs(right)} ${right > 0 ? 'right' : 'left'}`]),
  ];
  return parts.length === 0 ? 'here' : parts.join(' ');
}

/**
 * What a teacher says before it acts: `goal 2 down 1 right. hole right.`, and where coordinates are shown
 * `at (0, 1), goal (2, 2): 2 down 1 right. hole right.`, so that whoever learns it has the numbers side by side.
 */
export function explainText(map: LakeMap, player: number, showsCoordinates: boolean): string {
  const holes = holeDirections(map, player);
  const offset = goalOffset(map, player);
  const goal = showsCoordinates
    ? `at ${coordinates(map, player)}, goal ${coordinates(map, map.goal)}: ${offset}`
    : `goal ${offset}`;
  return `${goal}. ${holes.length === 0 ? 'no hole' : `hole ${holes.join(' ')}`}.`;
}

const coordinates = (map: LakeMap, cell: number): string => `(${position(cell, map.size).join(', ')})`;
