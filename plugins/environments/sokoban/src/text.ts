/**
 * @file What a level looks like: grids in any symbols, coordinate lists, short sentences for warm starts.
 */
import { cells, cellsWith, type Level, manhattan, offsets, position } from './level.js';

export interface Symbols {
  readonly wall: string;
  readonly floor: string;
  readonly target: string;
  readonly boxOnTarget: string;
  readonly box: string;
  readonly player: string;
  readonly playerOnTarget: string;
}

export const defaultSymbols: Symbols = {
  wall: '#',
  floor: '_',
  target: 'O',
  boxOnTarget: '√',
  box: 'X',
  player: 'P',
  playerOnTarget: 'S',
};

/** Symbol → meaning, for the prompt. */
export function legendOf(symbols: Symbols): Record<string, string> {
  return {
    [symbols.wall]: 'wall',
    [symbols.floor]: 'empty',
    [symbols.target]: 'target',
    [symbols.boxOnTarget]: 'box on target',
    [symbols.box]: 'box',
    [symbols.player]: 'player',
    [symbols.playerOnTarget]: 'player on target',
  };
}

/** Symbols by cell code; the last is the player on a target. */
export function symbolTable(symbols: Symbols): readonly string[] {
  return [
    symbols.wall,
    symbols.floor,
    symbols.target,
    symbols.boxOnTarget,
    symbols.box,
    symbols.player,
    symbols.playerOnTarget,
  ];
}

/** The bare grid: rows joined by newlines. */
export function gridText({ rows, columns, fixed, state }: Level, table: readonly string[]): string {
  let text = '';
  let cell = 0;
  for (let row = 0; row < rows; row++) {
    if (row > 0) text += '\n';
    for (let column = 0; column < columns; column++, cell++) {
      const code = state[cell]!;
      text += table[code === cells.player && fixed[cell] === cells.target ? 6 : code]!;
    }
  }
  return text;
}

/** Coordinate lists of everything but walls. */
export function coordinateText(level: Level): string {
  const { rows, columns, fixed, state } = level;
  const players = cellsWith(state, cells.player);
  const lists: readonly (readonly [string, readonly number[]])[] = [
    ['Targets', cellsWith(state, cells.target)],
    ['Boxes', cellsWith(state, cells.box)],
    ['Boxes on target', cellsWith(state, cells.boxOnTarget)],
    ['Player', players.filter((cell) => fixed[cell] !== cells.target)],
    ['Player on target', players.filter((cell) => fixed[cell] === cells.target)],
  ];
  const lines = lists
    .filter(([, found]) => found.length > 0)
    .map(
      ([label, found]) =>
        `${label}: ${found.map((cell) => `(${position(cell, columns).join(', ')})`).join(', ')}`,
    );
  return [`Board size: ${rows} rows x ${columns} cols (zero-indexed).`, ...lines].join('\n');
}

/** Where `to` lies from `from`: `1 up 2 left`; empty when they are the same. */
export function offsetText(from: number, to: number, columns: number): string {
  const [row, column] = position(from, columns);
  const [toRow, toColumn] = position(to, columns);
  const down = toRow - row;
  const right = toColumn - column;
  return [
    ...(down === 0 ? [] : [`${Math.abs(down)} ${down > 0 ? 'down' : 'up'}`]),
    ...(right === 0 ? [] : [`${Math.abs(right)} ${right > 0 ? 'right' : 'left'}`]),
  ].join(' ');
}

/** `box 1 up 2 left. target 1 down of box.`: the box that the plan pushes first, and where the plan leaves it. */
export function explainText(level: Level, plan: readonly number[]): string {
  const { state, fixed, columns } = level;
  const player = cellsWith(state, cells.player)[0]!;
  const loose = cellsWith(state, cells.box);
  if (loose.length === 0) return 'all boxes on targets.';
  const followed = followFirstBox(level, player, plan);
  const nearest = (from: number, candidates: readonly number[]): number =>
    candidates.reduce((best, cell) =>
      manhattan(from, cell, columns) < manhattan(from, best, columns) ? cell : best,
    );
  const box = followed?.from ?? nearest(player, loose);
  const free = cellsWith(fixed, cells.target).filter(
    (cell) => state[cell] !== cells.boxOnTarget || cell === box,
  );
  const target =
    followed !== undefined && fixed[followed.to] === cells.target ? followed.to : nearest(box, free);
  const offset = offsetText(box, target, columns);
  return `box ${offsetText(player, box, columns)}. ${offset === '' ? 'box on target' : `target ${offset} of box`}.`;
}

/** The first box a plan pushes: where it stands and where it stands when the plan is done. */
function followFirstBox(
  { state, columns }: Level,
  player: number,
  plan: readonly number[],
): { from: number; to: number } | undefined {
  const boxes = new Set(cellsWith(state, cells.box, cells.boxOnTarget));
  let at = player;
  let followed: { from: number; to: number } | undefined;
  for (const action of plan) {
    const offset = offsets(columns)[action]!;
    at += offset;
    if (!boxes.delete(at)) continue;
    boxes.add(at + offset);
    followed ??= { from: at, to: at };
    if (followed.to === at) followed = { from: followed.from, to: at + offset };
  }
  return followed;
}
