/** @file Claims about numbers: counts of things, a target and the numbers for it, calculations. */
import { type Claim, deny } from './claim.js';
import { type Clause, isDenied, numberOf, type Token } from './clauses.js';
import { thingNamed } from './grid-claims.js';
import type { World } from './world.js';

const near = (a: number, b: number): boolean =>
  Math.abs(a - b) < 1e-6 * Math.max(1, Math.abs(a), Math.abs(b));

interface Place {
  readonly start: number;
  readonly end: number;
}
const placeOf = (tokens: readonly Token[], from: number, to: number): Place => ({
  start: tokens[from]?.start ?? 0,
  end: tokens[Math.min(to, tokens.length - 1)]?.end ?? 0,
});

/** Finds what a clause says about numbers. */
export function numberClaims({ tokens }: Pick<Clause, 'tokens'>, world: World): Claim[] {
  return [
    ...(world.things.size > 0 || world.counts.size > 0 ? countClaims(tokens) : []),
    ...(world.target !== undefined ? targetClaims(tokens) : []),
    ...(world.numbers === undefined ? [] : [...listClaims(tokens), ...calculationClaims(tokens)]),
  ];
}

/** "3 holes", "one box on target", "12 empty cells", "5 results". Lists of things have one length in all states of an episode. */
function countClaims(tokens: readonly Token[]): Claim[] {
  const claims: Claim[] = [];
  for (const [at, token] of tokens.entries()) {
    const count = numberOf(token);
    const noun = tokens[at + 1]?.text ?? '';
    if (count === undefined || !Number.isInteger(count)) continue;
    const place = placeOf(tokens, at, at + 1);
    const name = noun === 'empty' ? 'empty' : noun === 'results' || noun === 'products' ? 'found' : undefined;
    if (name !== undefined) {
      claims.push({
        ...place,
        kind: 'number',
        key: `${name} ${count}`,
        holds: (world) => (world.counts.has(name) ? world.counts.get(name) === count : undefined),
        chance: () => 0.1,
      });
      continue;
    }
    const thing = thingNamed(noun);
    const on = ['is', 'are'].includes(tokens[at + 2]?.text ?? '') ? at + 3 : at + 2;
    // "2 boxes on the board" are on no target
    const isOn =
      tokens[on]?.text === 'on' &&
      tokens.slice(on + 1, on + 4).some(({ text }) => ['target', 'goal'].includes(thingNamed(text) ?? ''));
    // "one" before a noun is also a pronoun
    if (thing === undefined || thing === 'player' || thing === 'wall' || noun === thing) continue;
    if (isOn && thing === 'box')
      claims.push({
        ...placeOf(tokens, at, at + 3),
        kind: 'number',
        key: `boxes on target ${count}`,
        holds: (world) =>
          world.counts.has('boxesOnTarget') ? world.counts.get('boxesOnTarget') === count : undefined,
        chance: (world) => 1 / (1 + (world.things.get('box')?.length ?? 1)),
      });
    else if (!isOn)
      claims.push({
        ...place,
        kind: 'number',
        key: `${thing} × ${count}`,
        holds: (world) => (world.things.has(thing) ? world.things.get(thing)?.length === count : undefined),
        chance: () => 1,
      });
  }
  return claims.map((claim) => (isDenied(tokens, 0, indexOf(tokens, claim.start)) ? deny(claim) : claim));
}

const indexOf = (tokens: readonly Token[], start: number): number =>
  tokens.findIndex((token) => token.start === start);

const aims = new Set(['target', 'reach', 'goal', 'total']);

/** "the target is 24", "reach 24". */
function targetClaims(tokens: readonly Token[]): Claim[] {
  for (const [at, token] of tokens.entries()) {
    if (!aims.has(token.text)) continue;
    for (let index = at + 1; index < Math.min(at + 5, tokens.length); index++) {
      const value = numberOf(tokens[index]);
      if (value === undefined) continue;
      const next = tokens[index + 1]?.text ?? '';
      if (operators.has(next) || next === '=' || tokens.slice(at, index).some(({ text }) => text === '='))
        break;
      const claim: Claim = {
        ...placeOf(tokens, at, index),
        kind: 'number',
        key: `target ${value}`,
        holds: (world) => (world.target === undefined ? undefined : near(world.target, value)),
        chance: () => 0.02,
      };
      return [isDenied(tokens, 0, index) ? deny(claim) : claim];
    }
  }
  return [];
}

const listWords = new Set(['numbers', 'have', 'given', 'with', 'using', 'use', 'remaining', 'left']);

/** "the numbers are 3, 4 and 6", "I have 3 4 6": at least two, each there as often as named. */
function listClaims(tokens: readonly Token[]): Claim[] {
  const at = tokens.findIndex(({ text }) => listWords.has(text));
  if (at < 0) return [];
  const found: number[] = [];
  let last = at;
  for (let index = at + 1; index < tokens.length; index++) {
    const value = numberOf(tokens[index]);
    const text = tokens[index]?.text ?? '';
    if (value !== undefined) {
      found.push(value);
      last = index;
    } else if (operators.has(text) || text === '=') return [];
    else if (found.length > 0 && text !== ',' && text !== 'and') break;
    else if (found.length === 0 && index > at + 4) break;
  }
  if (found.length < 2) return [];
  const sorted = [...found].sort((a, b) => a - b);
  const claim: Claim = {
    ...placeOf(tokens, at, last),
    kind: 'number',
    key: `numbers ${sorted.join(' ')}`,
    holds: ({ numbers }) => {
      if (numbers === undefined) return undefined;
      const left = [...numbers];
      return found.every((value) => {
        const index = left.indexOf(value);
        if (index >= 0) left.splice(index, 1);
        return index >= 0;
      });
    },
    chance: () => 0.02,
  };
  return [isDenied(tokens, 0, at) ? deny(claim) : claim];
}

const operators: ReadonlyMap<string, (a: number, b: number) => number> = new Map([
  ['+', (a, b) => a + b],
  ['-', (a, b) => a - b],
  ['−', (a, b) => a - b],
  ['*', (a, b) => a * b],
  ['x', (a, b) => a * b],
  ['×', (a, b) => a * b],
  ['/', (a, b) => a / b],
  ['÷', (a, b) => a / b],
  ['plus', (a, b) => a + b],
  ['minus', (a, b) => a - b],
  ['times', (a, b) => a * b],
]);

const equals = ['=', 'is', 'equals', 'makes', 'gives'];

/** "3 * 8 = 24", "6 plus 4 is 10", "(8 - 3) * 5 = 25": two or more numbers, with × before +. True ones hold everywhere. */
function calculationClaims(tokens: readonly Token[]): Claim[] {
  const claims: Claim[] = [];
  for (let at = 0; at < tokens.length; at++) {
    // a sign before it makes it part of a longer expression, which is not read
    const isWhole = at < 2 || !operators.has(tokens[at - 1]?.text ?? '');
    const found = isWhole && tokens[at - 1]?.text !== ')' ? readExpression(tokens, at) : undefined;
    if (found === undefined) continue;
    const { value, next, numbers: count } = found;
    const isSaid = equals.includes(tokens[next]?.text ?? '');
    const isNot = tokens[next + 1]?.text === 'not';
    const result = numberOf(tokens[next + (isNot ? 2 : 1)]);
    if (count > 1 && isSaid && result !== undefined) {
      const text = tokens.slice(at, next).map((token) => token.text);
      const claim: Claim = {
        ...placeOf(tokens, at, next + 1),
        kind: 'number',
        key: `${text.join(' ')} = ${result}`,
        holds: () => near(value, result),
        chance: () => (near(value, result) ? 1 : 0),
      };
      // what is denied and false is as true everywhere as what is said and true
      claims.push(isNot ? { ...deny(claim), chance: () => (near(value, result) ? 0 : 1) } : claim);
    }
    at = Math.max(at, next - 1);
  }
  return claims;
}

interface Expression {
  readonly value: number;
  readonly next: number;
  /** how many numbers it has */
  readonly numbers: number;
}

const products = new Set(['*', 'x', '×', '/', '÷', 'times']);

/** Reads a sum of products at a token; clauses are short, so brackets may nest as they like. */
function readExpression(tokens: readonly Token[], at: number): Expression | undefined {
  return readChain(tokens, at, false, (from) =>
    readChain(tokens, from, true, (one) => readPart(tokens, one)),
  );
}

/** Reads parts joined by × and ÷, or by + and -, from left to right. */
function readChain(
  tokens: readonly Token[],
  at: number,
  isProduct: boolean,
  readNext: (at: number) => Expression | undefined,
): Expression | undefined {
  let whole = readNext(at);
  while (whole !== undefined) {
    const sign = tokens[whole.next]?.text ?? '';
    const operator = operators.get(sign);
    const part: Expression | undefined =
      operator === undefined || products.has(sign) !== isProduct ? undefined : readNext(whole.next + 1);
    if (operator === undefined || part === undefined) break;
    whole = {
      value: operator(whole.value, part.value),
      next: part.next,
      numbers: whole.numbers + part.numbers,
    };
  }
  return whole;
}

/** A number, or an expression in brackets. */
function readPart(tokens: readonly Token[], at: number): Expression | undefined {
  const value = numberOf(tokens[at]);
  if (value !== undefined) return { value, next: at + 1, numbers: 1 };
  if (tokens[at]?.text !== '(') return undefined;
  const inner = readExpression(tokens, at + 1);
  return inner !== undefined && tokens[inner.next]?.text === ')'
    ? { ...inner, next: inner.next + 1 }
    : undefined;
}
