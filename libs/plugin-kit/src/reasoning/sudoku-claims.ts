/** @file Claims about a grid of numbers, counted from 1: what a cell holds, what a row, column or box has or lacks. */
import { cellAt } from './cell-at.js';
import { type Claim, deny } from './claim.js';
import { type Clause, isDenied, numberOf, type Token } from './clauses.js';
import type { World } from './world.js';

type Grid = NonNullable<World['grid']>;

const inCell = (grid: Grid, row: number, column: number): number | undefined => grid[row - 1]?.[column - 1];

/** What the row, column and box of a cell hold. */
function seenFrom(grid: Grid, row: number, column: number): Set<number> {
  const edge = Math.max(1, Math.round(Math.sqrt(grid.length)));
  const seen = new Set<number>();
  const [top, left] = [row - 1 - ((row - 1) % edge), column - 1 - ((column - 1) % edge)];
  grid.forEach((line, r) =>
    line.forEach((value, c) => {
      const isSeen =
        r === row - 1 || c === column - 1 || (r >= top && r < top + edge && c >= left && c < left + edge);
      if (isSeen) seen.add(value);
    }),
  );
  return seen;
}

/** Finds what a clause says about a grid of numbers. */
export function sudokuClaims({ tokens }: Pick<Clause, 'tokens'>): Claim[] {
  for (let at = 0; at < tokens.length; at++) {
    const found = cellAt(tokens, at);
    if (found !== undefined) return cellClaims(tokens, at, found.next, found.cell[0], found.cell[1]);
    const line = tokens[at]?.text ?? '';
    const number = numberOf(tokens[at + 1]);
    if ((line === 'row' || line === 'column' || line === 'col') && number !== undefined)
      return lineClaims(tokens, at, line === 'row', number);
  }
  return [];
}

function numbersFrom(
  tokens: readonly Token[],
  at: number,
): { readonly values: number[]; readonly last: number } {
  const values: number[] = [];
  let last = at;
  for (let index = at; index < tokens.length; index++) {
    const value = numberOf(tokens[index]);
    if (value !== undefined) {
      values.push(value);
      last = index;
    } else if (values.length > 0 && ![',', 'and', 'or'].includes(tokens[index]?.text ?? '')) break;
  }
  return { values, last };
}

function cellClaims(
  tokens: readonly Token[],
  at: number,
  next: number,
  row: number,
  column: number,
): Claim[] {
  const rest = tokens.slice(next).map(({ text }) => text);
  const { values, last } = numbersFrom(tokens, next);
  const place = {
    start: tokens[at]?.start ?? 0,
    end: tokens[values.length > 0 ? last : tokens.length - 1]?.end ?? 0,
  };
  const isOpen =
    rest.includes('must') ||
    rest.includes('only') ||
    rest.includes('needs') ||
    rest.includes('place') ||
    rest.includes('put');
  const denied = isDenied(tokens, 0, tokens.length);
  const make = (claim: Claim): Claim[] => [denied ? deny(claim) : claim];
  if (rest.includes('taken') || rest.includes('excluded') || rest.includes('seen'))
    return values.map((value) => ({
      ...place,
      kind: 'grid',
      key: `${row}, ${column} sees ${value}`,
      holds: ({ grid }) => (grid === undefined ? undefined : seenFrom(grid, row, column).has(value)),
      chance: () => 0.5,
    }));
  if (rest.includes('empty') || rest.includes('blank') || rest.includes('open') || rest.includes('free'))
    return make({
      ...place,
      kind: 'grid',
      key: `${row}, ${column} is empty`,
      holds: ({ grid }) => (grid === undefined ? undefined : inCell(grid, row, column) === 0),
      chance: ({ grid }) =>
        grid === undefined ? 1 : grid.flat().filter((value) => value === 0).length / grid.flat().length,
    });
  if (rest.includes('filled') || rest.includes('occupied'))
    return make({
      ...place,
      kind: 'grid',
      key: `${row}, ${column} is filled`,
      holds: ({ grid }) => (grid === undefined ? undefined : (inCell(grid, row, column) ?? 0) > 0),
      chance: ({ grid }) =>
        grid === undefined ? 1 : grid.flat().filter((value) => value !== 0).length / grid.flat().length,
    });
  const [value] = values;
  const isStated = ['is', 'has', 'holds', 'contains', 'shows', '=', ':'].includes(rest[0] ?? '');
  if (value === undefined || values.length > 1 || isOpen || !isStated) return [];
  return make({
    ...place,
    kind: 'grid',
    key: `${row}, ${column} is ${value}`,
    holds: ({ grid }) => (grid === undefined ? undefined : inCell(grid, row, column) === value),
    chance: ({ grid }) => 1 / Math.max(2, grid?.length ?? 2),
  });
}

function lineClaims(tokens: readonly Token[], at: number, isRow: boolean, number: number): Claim[] {
  const rest = tokens.slice(at + 2).map(({ text }) => text);
  const lacks = rest.some((word) =>
    ['missing', 'lacks', 'misses', 'needs', 'lack', 'without', 'miss'].includes(word),
  );
  const has = rest.some((word) =>
    ['has', 'contains', 'holds', 'have', 'includes', 'already', 'contain'].includes(word),
  );
  const { values, last } = numbersFrom(tokens, at + 2);
  if (lacks === has && !lacks) return [];
  const place = { start: tokens[at]?.start ?? 0, end: tokens[last]?.end ?? 0 };
  const denied = isDenied(tokens, 0, tokens.length) && !rest.includes('without');
  return values.map((value) => {
    const claim: Claim = {
      ...place,
      kind: 'grid',
      key: `${isRow ? 'row' : 'column'} ${number} has ${value}`,
      holds: ({ grid }) => {
        if (grid?.[number - 1] === undefined) return undefined;
        const line = isRow ? (grid[number - 1] ?? []) : grid.map((row) => row[number - 1]);
        return line.includes(value);
      },
      chance: () => 0.5,
    };
    return lacks !== denied ? deny(claim) : claim;
  });
}
