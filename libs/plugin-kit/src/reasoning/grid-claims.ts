/** @file Claims about cells: where a thing is, in which direction of another, how far, next to what. */
import { cellAt } from './cell-at.js';
import { type Claim, deny } from './claim.js';
import { type Clause, isDenied, numberOf, type Token, wordSet } from './clauses.js';
import { copulas, directions, fillers, motions, names, nearWords, units, wishes } from './grid-words.js';
import { type Cell, singular, type World } from './world.js';

/** The direction of a word; a following `right` in "right next to" is none. */
export function directionOf(token: Token | undefined): readonly [number, number] | undefined {
  return token === undefined
    ? undefined
    : Object.hasOwn(directions, token.text)
      ? directions[token.text]
      : undefined;
}

interface Relation {
  /** undefined: not said */
  rows?: number;
  columns?: number;
  /** the numbers are only signs */
  isExact: boolean;
  /** nothing to the side */
  isStraight: boolean;
}

const cellsOf = (world: World, thing: string): readonly Cell[] | undefined => world.things.get(thing);

/** Whether one of a thing's cells stands in a relation to an anchor's cell. */
function relates(relation: Relation): (from: Cell, to: Cell) => boolean {
  const { rows, columns, isExact, isStraight } = relation;
  const fits = (said: number | undefined, is: number): boolean =>
    said === undefined ? !isStraight || is === 0 : isExact ? is === said : Math.sign(is) === Math.sign(said);
  return (from, to) => fits(rows, to[0] - from[0]) && fits(columns, to[1] - from[1]);
}

/** The share of an anchor's possible cells from which a test holds. */
function shareOfCells({ rows, columns }: World, test: (cell: Cell) => boolean): number {
  let count = 0;
  for (let row = 0; row < rows; row++)
    for (let column = 0; column < columns; column++) if (test([row, column])) count++;
  return count / (rows * columns);
}

interface Place {
  readonly start: number;
  readonly end: number;
}

function relationClaim(place: Place, thing: string, anchor: string, relation: Relation): Claim {
  const test = relates(relation);
  const { rows, columns, isExact, isStraight } = relation;
  return {
    ...place,
    kind: 'direction',
    key: `${thing} ${rows ?? '*'} ${columns ?? '*'} ${isExact ? 'exactly' : 'towards'}${isStraight ? ' straight' : ''} of ${anchor}`,
    holds: (world) => {
      if (thing === 'wall') return anchor === 'player' ? wallAt(world, relation) : undefined;
      const [from, to] = [cellsOf(world, anchor), cellsOf(world, thing)];
      if (from === undefined || to === undefined) return undefined;
      return from.some((cell) => to.some((other) => test(cell, other)));
    },
    chance: (world) => {
      if (thing === 'wall') return 0.5;
      return shareOfCells(world, (cell) => (cellsOf(world, thing) ?? []).some((other) => test(cell, other)));
    },
  };
}

function wallAt({ walls }: World, { rows = 0, columns = 0, isExact }: Relation): boolean | undefined {
  if (walls === undefined || (rows !== 0 && columns !== 0) || (isExact && Math.abs(rows + columns) !== 1))
    return undefined;
  return walls[rows < 0 ? 0 : rows > 0 ? 1 : columns < 0 ? 2 : 3];
}

const distance = (a: Cell, b: Cell): number => Math.abs(a[0] - b[0]) + Math.abs(a[1] - b[1]);

function nearClaim(place: Place, thing: string, anchor: string): Claim {
  return {
    ...place,
    kind: 'adjacency',
    key: `${thing} next to ${anchor}`,
    holds: (world) => {
      if (thing === 'wall' || anchor === 'wall')
        return thing === 'player' || anchor === 'player' ? world.walls?.includes(true) : undefined;
      const [from, to] = [cellsOf(world, anchor), cellsOf(world, thing)];
      if (from === undefined || to === undefined) return undefined;
      return from.some((cell) => to.some((other) => distance(cell, other) === 1));
    },
    chance: (world) =>
      thing === 'wall' || anchor === 'wall'
        ? 0.75
        : shareOfCells(world, (cell) =>
            (cellsOf(world, thing) ?? []).some((other) => distance(cell, other) === 1),
          ),
  };
}

function atClaim(place: Place, thing: string, [row, column]: Cell): Claim {
  const isThere = ([r, c]: Cell): boolean => r === row && c === column;
  return {
    ...place,
    kind: 'position',
    key: `${thing} at ${row}, ${column}`,
    holds: (world) => cellsOf(world, thing)?.some(isThere),
    chance: (world) => Math.min(1, (cellsOf(world, thing)?.length ?? 1) / (world.rows * world.columns)),
  };
}

function onClaim(place: Place, thing: string, base: string): Claim {
  return {
    ...place,
    kind: 'position',
    key: `${thing} on ${base}`,
    holds: (world) => {
      const [over, under] = [cellsOf(world, thing), cellsOf(world, base)];
      if (over === undefined || under === undefined) return undefined;
      return over.some((cell) => under.some((other) => distance(cell, other) === 0));
    },
    chance: (world) => Math.min(1, (cellsOf(world, base)?.length ?? 1) / (world.rows * world.columns)),
  };
}

function farClaim(place: Place, thing: string, steps: number): Claim {
  const reach = (world: World, from: Cell): boolean =>
    (cellsOf(world, thing) ?? []).some((cell) => distance(from, cell) === steps);
  return {
    ...place,
    kind: 'direction',
    key: `${thing} ${steps} away`,
    holds: (world) => {
      const player = cellsOf(world, 'player')?.[0];
      if (player === undefined || cellsOf(world, thing) === undefined) return undefined;
      return reach(world, player) || (thing === 'goal' && world.counts.get('distance') === steps);
    },
    chance: (world) => shareOfCells(world, (cell) => reach(world, cell)),
  };
}

/** "Will be at (2, 1)." leaves out who. */
const unsaidSubject = ([first, second]: readonly Token[]): string | undefined =>
  first?.text === 'will' && second?.text === 'be' ? 'player' : undefined;

/** Finds what a clause says about cells, left to right. */
export function gridClaims({ tokens }: Pick<Clause, 'tokens'>): Claim[] {
  const claims: Claim[] = [];
  let subject = unsaidSubject(tokens);
  let isMoving = false;
  let isStated = false;
  let isWish = false;
  let anchored: { readonly name: string; readonly index: number } | undefined;
  let from = 0;
  const add = (claim: Claim, at: number): void => {
    claims.push(isDenied(tokens, from, at) ? deny(claim) : claim);
    from = at;
  };
  for (let at = 0; at < tokens.length; at++) {
    const { text, start } = tokens[at] as Token;
    const name = names.get(text);
    if (motions.has(text)) isMoving = true;
    // what I have to do is not so yet
    if (text === 'to' && wishes.has(tokens[at - 1]?.text ?? '')) isWish = true;
    if (copulas.has(text)) [isStated, isMoving] = [true, false];
    if (name !== undefined) {
      if (name !== 'player' || subject === undefined) subject = name;
      if (name !== 'player' || cellAt(tokens, at + 1) !== undefined) isStated = true;
      if (text === 'i' || text === "i'm" || text === "i'll") {
        subject = 'player';
        isStated = text === "i'm";
        [isWish, isMoving] = [false, false];
      }
    }
    // "I see it there" is about what was named before
    if (text === 'it' && sights.has(tokens[at - 1]?.text ?? '')) subject = undefined;
    if (text === 'hole' || text === 'holes') addLoneDenial(tokens, at, add);
    const content = addContent(tokens, at, add);
    if (content !== undefined) {
      at = content;
      continue;
    }
    if (subject === undefined) continue;
    const place = { start: tokens[startOf(tokens, at)]?.start ?? start, end: tokens[at]?.end ?? start };
    const upTo = (index: number): Place => ({ ...place, end: tokens[index]?.end ?? place.end });
    const found = cellAt(tokens, at);
    if (found !== undefined) {
      const owner = anchored !== undefined && at - anchored.index <= 2 ? anchored.name : subject;
      if ((isStated || owner !== 'player') && !isWish)
        add(atClaim(upTo(found.next - 1), owner, found.cell), at);
      at = found.next - 1;
      continue;
    }
    if (isMoving || isWish || !isStated) continue;
    const near = nearWords.has(text) || (text === 'next' && tokens[at + 1]?.text === 'to');
    if (near) {
      const anchor = anchorAfter(tokens, at + 1);
      const other = anchor?.name ?? (subject === 'player' ? undefined : 'player');
      if (other !== undefined && other !== subject)
        add(nearClaim(upTo(anchor?.index ?? at), subject, other), at);
      at = anchor?.index ?? at;
      continue;
    }
    const base = text === 'on' ? baseAfter(tokens, at + 1, subject) : undefined;
    if (base !== undefined) {
      add(onClaim(upTo(base.index), subject, base.name), at);
      at = base.index;
      continue;
    }
    const far = subject === 'player' ? undefined : farAt(tokens, at);
    if (far !== undefined) {
      add(farClaim(upTo(far.next - 1), subject, far.steps), at);
      at = far.next - 1;
      continue;
    }
    const relation = relationAt(tokens, at);
    if (relation === undefined) continue;
    const anchor = anchorAfter(tokens, relation.next);
    const other = anchor?.name ?? (subject === 'player' ? undefined : 'player');
    const last = anchor?.index ?? relation.next - 1;
    anchored = anchor ?? anchored;
    // "no hole on the left" is about the next cell and those behind it
    if (subject === 'hole' && isDenied(tokens, from, at)) relation.relation.isStraight = true;
    if (other !== undefined && other !== subject)
      add(relationClaim(upTo(last), subject, other, relation.relation), at);
    at = last;
  }
  return claims;
}

const cellWords = wordSet('cell square tile');
const sights = wordSet('see saw find found spot');

/** "Cell (1, 2) is a hole" says what is there; gives the last token read, undefined where nothing of the kind is said. */
function addContent(
  tokens: readonly Token[],
  at: number,
  add: (claim: Claim, at: number) => void,
): number | undefined {
  const before = tokens[at - 1]?.text;
  const found = before === undefined || cellWords.has(before) ? cellAt(tokens, at) : undefined;
  if (found === undefined || tokens[found.next]?.text !== 'is') return undefined;
  let last = found.next + 1;
  while (['not', 'no', 'a', 'an', 'the', 'another'].includes(tokens[last]?.text ?? '')) last++;
  const thing = names.get(tokens[last]?.text ?? '');
  if (thing === undefined) return found.next;
  const { start = 0 } = tokens[at] ?? {};
  add(atClaim({ start, end: tokens[last]?.end ?? start }, thing, found.cell), last);
  return last;
}

/** The thing that another is on. */
function baseAfter(tokens: readonly Token[], at: number, subject: string): ReturnType<typeof anchorAfter> {
  const base = anchorAfter(tokens, at);
  const isBase =
    base !== undefined && base.name !== subject && ['target', 'goal', 'hole'].includes(base.name);
  return isBase ? base : undefined;
}

/** "no hole." says that none is next to the player. */
function addLoneDenial(tokens: readonly Token[], at: number, add: (claim: Claim, at: number) => void): void {
  const isAlone =
    at === tokens.length - 1 || ['around', 'nearby', 'near'].includes(tokens[at + 1]?.text ?? '');
  const { start = 0, end = 0 } = tokens[at] ?? {};
  if (isAlone && tokens[at - 1]?.text === 'no') add(nearClaim({ start, end }, 'hole', 'player'), at);
}

/** The first token of the claim that ends at `at`: back to the subject, at most ten tokens. */
function startOf(tokens: readonly Token[], at: number): number {
  for (let index = at; index >= Math.max(0, at - 10); index--)
    if (names.has(tokens[index]?.text ?? '')) return index;
  return at;
}

/** The thing named after a relation: "of the box", "the goal", "me". */
function anchorAfter(
  tokens: readonly Token[],
  at: number,
): { readonly name: string; readonly index: number } | undefined {
  for (let index = at; index < at + 3; index++) {
    const text = tokens[index]?.text ?? '';
    const name = names.get(text);
    if (name !== undefined) return { name, index };
    if (!['of', 'the', 'a', 'my', 'from', 'to', 'an'].includes(text)) return undefined;
  }
  return undefined;
}

/** "3 steps away". */
function farAt(
  tokens: readonly Token[],
  at: number,
): { readonly steps: number; readonly next: number } | undefined {
  const steps = numberOf(tokens[at]);
  if (steps === undefined || !units.has(tokens[at + 1]?.text ?? '') || tokens[at + 2]?.text !== 'away')
    return undefined;
  return { steps, next: at + 3 };
}

/** "2 down 1 left", "below and to the right", "straight down". */
function relationAt(
  tokens: readonly Token[],
  at: number,
): { readonly relation: Relation; readonly next: number } | undefined {
  const relation: Relation = { isExact: false, isStraight: false };
  let next = at;
  for (let index = at; index < tokens.length;) {
    const read = stepAt(tokens, index);
    if (read === undefined) break;
    const { step, count, isStraight } = read;
    if (step[0] !== 0 && relation.rows !== undefined) break;
    if (step[1] !== 0 && relation.columns !== undefined) break;
    if (step[0] !== 0) relation.rows = step[0] * (count ?? 1);
    else relation.columns = step[1] * (count ?? 1);
    relation.isExact ||= count !== undefined;
    relation.isStraight ||= isStraight;
    index = next = read.next;
  }
  return next === at ? undefined : { relation, next };
}

/** One number and direction: "2 cells below", "to the left", "straight down". */
function stepAt(tokens: readonly Token[], at: number) {
  let index = at;
  let count: number | undefined;
  let isStraight = false;
  for (let looked = 0; looked < 6; looked++, index++) {
    const token = tokens[index];
    const text = token?.text ?? '';
    const step = directionOf(token);
    const isAdverb =
      text === 'right' &&
      (tokens[index + 1]?.text === 'next' ||
        nearWords.has(tokens[index + 1]?.text ?? '') ||
        directionOf(tokens[index + 1]) !== undefined) &&
      count === undefined &&
      looked === 0;
    if (step !== undefined && !isAdverb) {
      const behind =
        count === undefined && directionOf(tokens[index + 2]) === undefined
          ? numberOf(tokens[index + 1])
          : undefined;
      return { step, count: count ?? behind, isStraight, next: index + (behind === undefined ? 1 : 2) };
    }
    const number = numberOf(token);
    if (number !== undefined && count === undefined) count = number;
    else if (['directly', 'straight', 'immediately'].includes(text)) isStraight = true;
    else if (
      !(units.has(text) || fillers.has(text)) ||
      (index === at &&
        text !== 'to' &&
        text !== 'on' &&
        text !== 'and' &&
        text !== ',' &&
        text !== 'right' &&
        text !== 'just' &&
        text !== 'exactly')
    )
      return undefined;
  }
  return undefined;
}

/** The thing that a word names, such as `box` for `crates`; undefined: none. */
export const thingNamed = (word: string): string | undefined =>
  names.get(word) ?? (names.has(singular(word)) ? names.get(singular(word)) : undefined);
