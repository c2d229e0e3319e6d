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

/** A cell or a line that a clause names, and what it says of it. */
interface Subject {
  readonly at: number;
  readonly next: number;
  readonly claimsOf: (tokens: readonly Token[], at: number, next: number) => Claim[];
}

/** Finds what a clause says about a grid of numbers: of each cell and line that it names, up to the next one. */
export function sudokuClaims({ tokens }: Pick<Clause, 'tokens'>): Claim[] {
  const subjects: Subject[] = [];
  for (let at = 0; at < tokens.length; at++) {
    const subject = subjectAt(tokens, at);
    if (subject === undefined) continue;
    subjects.push(subject);
    at = subject.next - 1;
  }
  return subjects.flatMap(({ at, next, claimsOf }, index) => {
    // what stands before the first belongs to it: "there is no 2 in row 1"
    const from = index === 0 ? 0 : at;
    const part = tokens.slice(from, subjects[index + 1]?.at);
    return claimsOf(part, at - from, next - from);
  });
}

function subjectAt(tokens: readonly Token[], at: number): Subject | undefined {
  const found = cellAt(tokens, at);
  if (found !== undefined) {
    const { cell, next } = found;
    return {
      at,
      next,
      claimsOf: (part, start, end) => cellClaims(part, start, end, cell[0], cell[1]),
    };
  }
  const line = tokens[at]?.text ?? '';
  const number = numberOf(tokens[at + 1]);
  if (!['row', 'column', 'col'].includes(line) || number === undefined) return undefined;
  return {
    at,
    next: at + 2,
    claimsOf: (part, start, end) => lineClaims(part, start, end, line === 'row', number),
  };
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

const lacking = ['missing', 'lacks', 'misses', 'needs', 'lack', 'without', 'miss'];
const having = ['has', 'contains', 'holds', 'have', 'includes', 'already', 'contain'];

function lineClaims(
  tokens: readonly Token[],
  at: number,
  next: number,
  isRow: boolean,
  number: number,
): Claim[] {
  const rest = tokens.slice(next).map(({ text }) => text);
  const firstOf = (words: readonly string[]): number => rest.findIndex((word) => words.includes(word));
  const [lack, have] = [firstOf(lacking), firstOf(having)];
  // "is missing 1 and has 4, 2 and 3"
  const turn = next + Math.max(lack, have);
  if (lack >= 0 && have >= 0)
    return [
      ...lineClaims(tokens.slice(0, turn), at, next, isRow, number),
      ...lineClaims(tokens.slice(turn), 0, 0, isRow, number),
    ];
  const lacks = lack >= 0;
  if (!lacks && have < 0) return [];
  const { values, last } = numbersFrom(tokens, next);
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
