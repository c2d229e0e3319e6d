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

export function operatorsOf(operators: PuzzleOptions['operators']): readonly StepOperator[] {
  return operators === 'signs' ? ['+', '-'] : ['+', '-', '*', '/'];
}

/**
 * Draws the puzzle of a seed.
 *
 * @returns undefined when none of `tries` drawings has a target in range
 */
export function drawPuzzle(seed: number, options: PuzzleOptions, tries = 50_000): Puzzle | undefined {
  const stream = createStream(seed);
  const [fewest, most] = options.count;
  const [low, high] = options.target;
  for (let attempt = 0; attempt < tries; attempt++) {
    const count = fewest + stream.int(most - fewest + 1);
    const numbers = Array.from({ length: count }, () => 1 + stream.int(options.highest));
    const made = options.operators === 'signs' ? drawSigns(stream, numbers) : drawTree(stream, numbers);
    if (made === undefined || made.value < low || made.value > high || numbers.includes(made.value)) continue;
    return { numbers, target: made.value, solution: made.text };
  }
  return undefined;
}

interface Made {
  readonly value: number;
  readonly text: string;
}

/** Gives each number a sign; the first that is added leads. */
function drawSigns(stream: RandomStream, numbers: readonly number[]): Made | undefined {
  const isAdded = numbers.map(() => stream.int(2) === 0);
  const lead = isAdded.indexOf(true);
  if (lead < 0) return undefined;
  let text = String(numbers[lead]);
  let value = numbers[lead] ?? 0;
  for (const [place, number] of numbers.entries()) {
    if (place === lead) continue;
    value += isAdded[place] === true ? number : -number;
    text += isAdded[place] === true ? ` + ${number}` : ` - ${number}`;
  }
  return { value, text };
}

/** Joins two numbers at a time until one is left. */
function drawTree(stream: RandomStream, numbers: readonly number[]): Made | undefined {
  const parts: (Made & { readonly operator?: StepOperator })[] = numbers.map((value) => ({
    value,
    text: String(value),
  }));
  while (parts.length > 1) {
    const [left] = parts.splice(stream.int(parts.length), 1);
    const [right] = parts.splice(stream.int(parts.length), 1);
    if (left === undefined || right === undefined) return undefined;
    const operator = stream.pick(operatorsOf('all'));
    const value = calculate(left.value, operator, right.value);
    if (value === undefined) return undefined;
    const text = `${inParentheses(left, operator, false)} ${operator} ${inParentheses(right, operator, true)}`;
    parts.push({ value, text, operator });
  }
  return parts[0];
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

/** The numbers after a calculation: its two operands make room for its result. */
export function without(numbers: readonly number[], { left, right, result }: Calculation): number[] {
  const rest = [...numbers];
  rest.splice(rest.indexOf(left), 1);
  rest.splice(rest.indexOf(right), 1);
  return [...rest, result];
}
