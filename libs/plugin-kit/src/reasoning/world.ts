/**
 * @file What the facts of an environment tell, in the terms that claims are about: cells of things, walls next to the
 * player, a grid of numbers, numbers and a target, prices, names. Facts are read by their shape, so that
 * environments of others are read too.
 */

/** [row, column], from 0 */
export type Cell = readonly [row: number, column: number];

export interface World {
  /** cells of each thing by its singular name, such as `player`, `goal`, `hole`, `box`, `target` */
  readonly things: ReadonlyMap<string, readonly Cell[]>;
  /** rows and columns that things are known to span */
  readonly rows: number;
  readonly columns: number;
  /** whether a wall is up, down, left, right of the player */
  readonly walls?: readonly boolean[];
  /** a grid of numbers, 0 where empty */
  readonly grid?: readonly (readonly number[])[];
  /** counts and other single numbers by name */
  readonly counts: ReadonlyMap<string, number>;
  /** a list of numbers to calculate with */
  readonly numbers?: readonly number[];
  /** a number to reach */
  readonly target?: number;
  /** amounts of money: of the product shown, the highest asked for, of the results */
  readonly prices: {
    readonly product?: number;
    readonly limit?: number;
    readonly results: readonly number[];
  };
  /** single names and lists of names, in lower case */
  readonly names: ReadonlyMap<string, readonly string[]>;
}

const isNumber = (value: unknown): value is number => typeof value === 'number' && Number.isFinite(value);
const isCell = (value: unknown): value is Cell =>
  Array.isArray(value) && value.length === 2 && value.every((one) => Number.isInteger(one) && one >= 0);
const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The singular of a name: `boxes` → `box`, `holes` → `hole`. */
export const singular = (name: string): string =>
  name.endsWith('xes')
    ? name.slice(0, -2)
    : name.endsWith('s') && !name.endsWith('ss')
      ? name.slice(0, -1)
      : name;

/** What a price tag says, as a number: the amount, or the lower of a range. */
function priceOf(value: unknown): number | undefined {
  if (isNumber(value)) return value;
  const found = typeof value === 'string' ? /\d+(?:\.\d+)?/.exec(value.slice(0, 40))?.[0] : undefined;
  return found === undefined ? undefined : Number(found);
}

function pricesOf(facts: Readonly<Record<string, unknown>>): World['prices'] {
  const { product, goal, results } = facts;
  const own = isRecord(product) ? priceOf(product['price']) : undefined;
  const limit = isRecord(goal) ? priceOf(goal['highestPrice']) : undefined;
  const listed = Array.isArray(results)
    ? results.map((one) => (isRecord(one) ? priceOf(one['price']) : undefined))
    : [];
  return {
    ...(own === undefined ? {} : { product: own }),
    ...(limit === undefined ? {} : { limit }),
    results: listed.filter((price) => price !== undefined),
  };
}

/** Reads the facts of a turn. */
export function readWorld(facts: Readonly<Record<string, unknown>>): World {
  const things = new Map<string, readonly Cell[]>();
  const counts = new Map<string, number>();
  const names = new Map<string, readonly string[]>();
  for (const [key, value] of Object.entries(facts)) {
    const list = Array.isArray(value) ? (value as unknown[]) : undefined;
    const isRelative = /From[A-Z]/.test(key) || key === 'size';
    if (isCell(value) && !isRelative && key !== 'numbers') things.set(key, [value]);
    else if (list !== undefined && list.every(isCell) && !isRelative && list.length > 0)
      things.set(singular(key), list);
    else if (list !== undefined && list.length === 0 && /^(?:holes|boxes|targets)$/.test(key))
      things.set(singular(key), []);
    else if (value === null) names.set(key, []);
    else if (isNumber(value)) counts.set(key, value);
    else if (typeof value === 'string') names.set(key, [value.toLowerCase()]);
    else if (list?.every((one) => typeof one === 'string') === true)
      names.set(
        key,
        list.map((one) => String(one).toLowerCase()),
      );
  }
  const cells = [...things.values()].flat();
  const { walls, grid, numbers, target, size } = facts;
  const bounds = isCell(size) ? size : undefined;
  const rows = bounds?.[0] ?? Math.max(2, ...cells.map(([row]) => row + 1));
  const columns = bounds?.[1] ?? Math.max(2, ...cells.map(([, column]) => column + 1));
  return {
    things,
    rows,
    columns,
    counts,
    names,
    prices: pricesOf(facts),
    ...(Array.isArray(walls) && walls.every((one) => typeof one === 'boolean') ? { walls } : {}),
    ...(Array.isArray(grid) && grid.every((row) => Array.isArray(row) && row.every(isNumber))
      ? { grid: grid as number[][] }
      : {}),
    ...(Array.isArray(numbers) && numbers.every(isNumber) ? { numbers } : {}),
    ...(isNumber(target) ? { target } : {}),
  };
}
