/**
 * @file Puzzles by seed, each made from a solution: numbers are drawn, then signs, or an expression over all four
 * operators whose every intermediate result is a positive whole number.
 */
import { createStream, type RandomStream } from '@espalier/plugin-kit';
import type { NumbersUsed } from './expression.js';

export type StepOperator = '+' | '-' | '*' | '/';

/** One calculation with two numbers. */
export interface Calculation {
  readonly left: number;
  readonly operator: StepOperator;
  readonly right: number;
  readonly result: number;
}

export interface Puzzle {
  readonly numbers: readonly number[];
  readonly target: number;
  /** an expression that uses every number once and gives the target */
  readonly solution: string;
}

export interface PuzzleOptions {
  readonly count: readonly [number, number];
  readonly highest: number;
  readonly target: readonly [number, number];
  readonly operators: 'signs' | 'all';
}

/** Largest result of a calculation. */
const maxResult = 1e9;

/** Calculates with two numbers; undefined where the result is no positive whole number. */
export function calculate(left: number, operator: StepOperator, right: number): number | undefined {
  const result =
    operator === '+'
      ? left + right
      : operator === '-'
        ? left - right
        : operator === '*'
          ? left * right
          : left / right;
  return Number.isInteger(result) && result > 0 && result <= maxResult ? result : undefined;
}

const allOperators: readonly StepOperator[] = ['+', '-', '*', '/'];
const withoutQuotient: readonly StepOperator[] = ['+', '-', '*'];
const withoutDifference: readonly StepOperator[] = ['+', '*', '/'];
const always: readonly StepOperator[] = ['+', '*'];

/** The operators whose result with these two is a positive whole number. */
function operatorsFor(left: number, right: number): readonly StepOperator[] {
  if (left % right === 0) return left > right ? allOperators : withoutDifference;
  return left > right ? withoutQuotient : always;
}

export function operatorsOf(operators: PuzzleOptions['operators']): readonly StepOperator[] {
  return operators === 'signs' ? ['+', '-'] : allOperators;
}

/**
 * Draws the puzzle of a seed. Most drawings fail, so only the one that is kept is written out.
 *
 * @returns undefined when none of `tries` drawings has a target in range
 */
export function drawPuzzle(seed: number, options: PuzzleOptions, tries = 50_000): Puzzle | undefined {
  const stream = createStream(seed);
  const [fewest, most] = options.count;
  const [low, high] = options.target;
  const draw = options.operators === 'signs' ? drawSigns : drawTree;
  for (let attempt = 0; attempt < tries; attempt++) {
    const numbers: number[] = [];
    for (let left = fewest + stream.int(most - fewest + 1); left > 0; left--)
      numbers.push(1 + stream.int(options.highest));
    const made = draw(stream, numbers);
    if (made === undefined || made.value < low || made.value > high || numbers.includes(made.value)) continue;
    return { numbers, target: made.value, solution: made.write() };
  }
  return undefined;
}

interface Made {
  readonly value: number;
  readonly write: () => string;
}

/** Gives each number a sign; the first that is added leads. */
function drawSigns(stream: RandomStream, numbers: readonly number[]): Made | undefined {
  const isAdded = numbers.map(() => stream.int(2) === 0);
  const lead = isAdded.indexOf(true);
  if (lead < 0) return undefined;
  let value = 0;
  for (const [place, number] of numbers.entries()) value += isAdded[place] === true ? number : -number;
  const write = (): string =>
    numbers.reduce(
      (text, number, place) =>
        place === lead ? text : `${text} ${isAdded[place] === true ? '+' : '-'} ${number}`,
      String(numbers[lead]),
    );
  return { value, write };
}

/** Joins two numbers at a time until one is left. */
function drawTree(stream: RandomStream, numbers: readonly number[]): Made | undefined {
  const values = [...numbers];
  /** of each join the two places, the second counted without the first */
  const places: number[] = [];
  const operators: StepOperator[] = [];
  while (values.length > 1) {
    const left = stream.int(values.length);
    const first = takeAt(values, left);
    const right = stream.int(values.length);
    const second = takeAt(values, right);
    // one of any four would be illegal so often that a puzzle of six numbers took 75 drawings instead of 9
    const legal = operatorsFor(first, second);
    const operator = legal[stream.int(legal.length)]!;
    const value = calculate(first, operator, second);
    if (value === undefined) return undefined;
    values.push(value);
    places.push(left, right);
    operators.push(operator);
  }
  return { value: values[0]!, write: () => writeTree(numbers, places, operators) };
}

/** Removes the item at a place, as `splice` does, without a list of what was removed: most of a draw was spent on these. */
function takeAt(values: number[], place: number): number {
  const taken = values[place]!;
  for (let next = place + 1; next < values.length; next++) values[next - 1] = values[next]!;
  values.pop();
  return taken;
}

function writeTree(
  numbers: readonly number[],
  places: readonly number[],
  operators: readonly StepOperator[],
): string {
  const parts: { readonly text: string; readonly operator?: StepOperator }[] = numbers.map((value) => ({
    text: String(value),
  }));
  for (const [join, operator] of operators.entries()) {
    const [first] = parts.splice(places[2 * join]!, 1);
    const [second] = parts.splice(places[2 * join + 1]!, 1);
    const text = `${inParentheses(first!, operator, false)} ${operator} ${inParentheses(second!, operator, true)}`;
    parts.push({ text, operator });
  }
  return parts[0]!.text;
}

/** Puts parentheses where the text would otherwise be read differently. */
function inParentheses(
  { text, operator }: { readonly text: string; readonly operator?: StepOperator },
  outer: StepOperator,
  isRight: boolean,
): string {
  if (operator === undefined) return text;
  const isSum = operator === '+' || operator === '-';
  const isNeeded = outer === '*' || outer === '/' ? isSum || isRight : isRight && outer === '-' && isSum;
  return isNeeded ? `(${text})` : text;
}

/**
 * Finds calculations that use up the numbers and end at the target; with `some`, as few as it takes.
 *
 * @returns empty when there are none
 */
export function solve(
  numbers: readonly number[],
  target: number,
  operators: readonly StepOperator[],
  rule: NumbersUsed,
): readonly Calculation[] {
  const failed = new Set<string>();
  const most = rule === 'all' ? numbers.length - 1 : 1;
  for (let steps = most; steps < numbers.length; steps++) {
    const found = search(numbers, steps);
    if (found !== undefined) return found;
  }
  return [];

  function search(left: readonly number[], steps: number): readonly Calculation[] | undefined {
    if (steps === 0) return undefined;
    const sorted = [...left].sort((a, b) => b - a);
    const key = `${steps} ${sorted.join(' ')}`;
    if (failed.has(key)) return undefined;
    for (const calculation of calculationsWith(sorted, operators)) {
      if (steps === 1 && calculation.result === target) return [calculation];
      const further = search(without(sorted, calculation), steps - 1);
      if (further !== undefined) return [calculation, ...further];
    }
    failed.add(key);
    return undefined;
  }
}

/** Every legal calculation with two of the numbers. */
export function* calculationsWith(
  numbers: readonly number[],
  operators: readonly StepOperator[],
): Generator<Calculation> {
  for (const [i, left] of numbers.entries()) {
    for (const [j, right] of numbers.entries()) {
      if (i === j) continue;
      for (const operator of operators) {
        if (j < i && (operator === '+' || operator === '*')) continue;
        const result = calculate(left, operator, right);
        if (result !== undefined) yield { left, operator, right, result };
      }
    }
  }
}

/** Where two numbers stand, each at a place of its own; undefined where one does not. */
export function placesOf(
  numbers: readonly number[],
  left: number,
  right: number,
): readonly [number, number] | undefined {
  const first = numbers.indexOf(left);
  const second = numbers.indexOf(right, left === right ? first + 1 : 0);
  return first < 0 || second < 0 ? undefined : [first, second];
}

/** The numbers after a calculation: its two operands make room for its result. */
export function without(numbers: readonly number[], { left, right, result }: Calculation): number[] {
  const [first, second] = placesOf(numbers, left, right) ?? [];
  const rest = numbers.filter((_, place) => place !== first && place !== second);
  rest.push(result);
  return rest;
}
