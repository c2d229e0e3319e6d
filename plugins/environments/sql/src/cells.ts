/** @file Values of a database as plain JSON, as they are shown, and how two of them are compared. */

/** A value: NULL, a number, or a text; integers beyond 2^53 and BLOBs (`x'00ff'`) are texts. */
export type Cell = null | number | string;
export type Row = readonly Cell[];

/** Turns what SQLite gives into a cell. */
export function toCell(value: unknown): Cell {
  if (value === null || value === undefined) return null;
  if (typeof value === 'number') return Number.isFinite(value) ? value : String(value);
  if (typeof value === 'bigint') return Number.isSafeInteger(Number(value)) ? Number(value) : String(value);
  if (value instanceof Uint8Array) return `x'${Buffer.from(value).toString('hex')}'`;
  return String(value as string);
}

/** What is shown of a result. */
export interface Shown {
  readonly lines: readonly string[];
  /** every row is there, in full */
  readonly isWhole: boolean;
}

/** Shows rows as JSON, one a line, as many as there is room for. */
export function showRows(
  columns: readonly string[],
  rows: readonly Row[],
  hasMore: boolean,
  room: { readonly rows: number; readonly characters: number },
): Shown {
  const lines: string[] = [];
  let left = room.characters;
  for (const row of rows.slice(0, room.rows)) {
    const line = JSON.stringify(row);
    if (line.length > left) {
      if (left > 0) lines.push(`${line.slice(0, left).replace(/[\ud800-\udbff]$/, '')}…`);
      left = -1;
      break;
    }
    lines.push(line);
    left -= line.length + 1;
  }
  const isWhole = left >= -1 && lines.length === rows.length && !hasMore && !lines.at(-1)?.endsWith('…');
  const names = JSON.stringify(columns).slice(0, room.characters);
  const count = isWhole
    ? `${rows.length} ${rows.length === 1 ? 'row' : 'rows'}`
    : `more rows, or longer ones, than are shown`;
  return { lines: [`columns ${names}`, ...lines, count], isWhole };
}

/** Decimals that a fraction needs at least to be taken as rounded. */
const fewestDecimals = 2;

/**
 * Whether a stated value is the right one. A text that is a number equals that number. A fraction may be rounded to two
 * or more decimals; whole numbers, and texts but for white space at the ends, must be the same; NULL is only NULL.
 */
export function isSameCell(stated: Cell, right: Cell): boolean {
  if (stated === null || right === null) return stated === right;
  const [one, other] = [numberOf(stated), numberOf(right)];
  if (one === undefined || other === undefined) return String(stated).trim() === String(right).trim();
  if (one === other) return true;
  if (Number.isInteger(other)) return false;
  const decimals = /\.(\d+)$/.exec(String(one))?.[1]?.length ?? 0;
  const step = 0.5 * 10 ** -Math.max(decimals, fewestDecimals);
  return Math.abs(one - other) <= step + 1e-9 * Math.abs(other);
}

/** The number that a value is, or that its text is. */
function numberOf(cell: Cell): number | undefined {
  if (typeof cell === 'number') return cell;
  if (cell === null || !/^\s*-?\d{1,15}(?:\.\d{1,15})?\s*$/.test(cell)) return undefined;
  return Number(cell);
}

/** Whether two tables have the same rows; where order does not matter, each row as often. */
export function areSameRows(stated: readonly Row[], right: readonly Row[], isOrdered: boolean): boolean {
  if (stated.length !== right.length) return false;
  if (isOrdered) return stated.every((row, place) => isSameRow(row, right[place]!));
  return canPair(stated, right);
}

/** Whether each stated row can have a right one of its own. A rounded row may be several, so that one gives way to another. */
function canPair(stated: readonly Row[], right: readonly Row[]): boolean {
  /** which stated row has a right one, by their places */
  const owners = new Map<number, number>();
  const place = (row: number, tried: Set<number>): boolean => {
    const fits = (at: number): boolean => isSameRow(stated[row]!, right[at]!);
    const canMove = (at: number): boolean => {
      if (tried.has(at) || !fits(at)) return false;
      tried.add(at);
      return place(owners.get(at)!, tried);
    };
    const places = [...right.keys()];
    const found = places.find((at) => !owners.has(at) && fits(at)) ?? places.find(canMove);
    if (found !== undefined) owners.set(found, row);
    return found !== undefined;
  };
  return stated.every((_row, row) => place(row, new Set()));
}

function isSameRow(stated: Row, right: Row): boolean {
  return stated.length === right.length && stated.every((cell, place) => isSameCell(cell, right[place]!));
}
