/** @file The rules of 2048: tiles slide, equal neighbours join once per move. Cells row by row, 0 where empty. */

export const actionNames = ['Up', 'Right', 'Down', 'Left'] as const;

export type Board = readonly number[]; // [size · size]

export interface Slide {
  readonly board: number[];
  /** sum of the tiles that came out of joins */
  readonly gained: number;
  readonly moved: boolean;
}

/** Cells of each line of a direction, the first where tiles slide to. */
function linesOf(size: number, direction: number): number[][] {
  return Array.from({ length: size }, (_, line) =>
    Array.from({ length: size }, (_unused, place) => {
      const depth = direction === 1 || direction === 2 ? size - 1 - place : place;
      return direction % 2 === 0 ? depth * size + line : line * size + depth;
    }),
  );
}

const lines = new Map(
  [2, 3, 4, 5, 6].map((size) => [size, [0, 1, 2, 3].map((direction) => linesOf(size, direction))]),
);

/** Slides all tiles into a direction: 0 up, 1 right, 2 down, 3 left. The board is a new one, which its caller may change. */
export function slide(board: Board, size: number, direction: number): Slide {
  const next = board.slice();
  let gained = 0;
  let moved = false;
  for (const cells of lines.get(size)![direction]!) {
    let place = 0;
    /** the tile last put down may still join */
    let isOpen = false;
    for (let from = 0; from < size; from++) {
      const cell = cells[from]!;
      const value = board[cell]!;
      if (value === 0) continue;
      if (isOpen && next[cells[place - 1]!] === value) {
        next[cells[place - 1]!] = 2 * value;
        gained += 2 * value;
        isOpen = false;
        moved = true;
        next[cell] = 0;
        continue;
      }
      if (place !== from) {
        next[cell] = 0;
        next[cells[place]!] = value;
        moved = true;
      }
      place += 1;
      isOpen = true;
    }
  }
  return { board: next, gained, moved };
}

/** The largest tile. */
export function maxTile(board: Board): number {
  let largest = 0;
  for (let cell = 0; cell < board.length; cell++) if (board[cell]! > largest) largest = board[cell]!;
  return largest;
}

export function emptyCells(board: Board): number[] {
  const empty: number[] = [];
  for (let cell = 0; cell < board.length; cell++) if (board[cell] === 0) empty.push(cell);
  return empty;
}

/** Whether any direction moves a tile: there is room beside one, or two equal ones are neighbours. */
export function canMove(board: Board, size: number): boolean {
  let hasTile = false;
  let hasRoom = false;
  for (let cell = 0; cell < board.length; cell++) {
    const value = board[cell]!;
    if (value === 0) hasRoom = true;
    else hasTile = true;
    if (hasTile && hasRoom) return true;
    if (value === 0) continue;
    if (cell % size !== size - 1 && board[cell + 1] === value) return true;
    if (board[cell + size] === value) return true;
  }
  return false;
}

/** Numbers of the directions that move a tile. */
export function movesOf(board: Board, size: number): number[] {
  return [0, 1, 2, 3].filter((direction) => slide(board, size, direction).moved);
}

/** Texts of tiles by their power of two, `.` for none, after a separator. */
const tilesAfter = (separator: string): string[] =>
  Array.from({ length: 31 }, (_, power) => separator + (power === 0 ? '.' : String(2 ** power)));
const [firstTiles, spacedTiles, rowTiles] = ['', ' ', '\n'].map(tilesAfter) as [string[], string[], string[]];

/** Rows of numbers with `.` for empty cells; aligned for people. */
export function boardText(board: Board, size: number, isAligned = false): string {
  if (!isAligned) {
    let text = '';
    for (let cell = 0; cell < board.length; cell++) {
      const tiles = cell === 0 ? firstTiles : cell % size === 0 ? rowTiles : spacedTiles;
      const value = board[cell]!;
      text += tiles[value === 0 ? 0 : 31 - Math.clz32(value)]!;
    }
    return text;
  }
  const width = Math.max(...board.map((value) => String(value).length));
  return Array.from({ length: size }, (_, row) =>
    board
      .slice(row * size, (row + 1) * size)
      .map((value) => (value === 0 ? '.' : String(value)).padStart(width))
      .join(' '),
  ).join('\n');
}
