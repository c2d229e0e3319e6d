/** @file Puzzles, what may be calculated with two of their numbers, and the search for a solution. */
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

export const allOperators: readonly StepOperator[] = ['+', '-', '*', '/'];

export function operatorsOf(operators: PuzzleOptions['operators']): readonly StepOperator[] {
  return operators === 'signs' ? ['+', '-'] : allOperators;
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
      const further = search(numbersAfter(sorted, calculation)!, steps - 1);
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

/** The numbers after a calculation: its two operands make room for its result. Undefined where they are not among them. */
export function numbersAfter(
  numbers: readonly number[],
  { left, right, result }: Calculation,
): number[] | undefined {
  const first = numbers.indexOf(left);
  const second = numbers.indexOf(right, left === right ? first + 1 : 0);
  if (first < 0 || second < 0) return undefined;
  const rest: number[] = [];
  for (let place = 0; place < numbers.length; place++)
    if (place !== first && place !== second) rest.push(numbers[place]!);
  rest.push(result);
  return rest;
}
