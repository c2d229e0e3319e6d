/** @file A short, true reasoning that leads to an answer. */
import { type Arithmetic, evaluate, type Expression, formatFraction, parseExpression } from './expression.js';

const maxExplanation = 200;

/**
 * Explains an answer. Where only signs are drawn: the sum of all numbers, how much it is over the target, and that half of
 * this is what to subtract. Otherwise, and for a wrong answer: its calculations one by one.
 */
export function explainAnswer(
  answer: string,
  numbers: readonly number[],
  target: number,
  arithmetic: Arithmetic,
): string {
  const expression = parseExpression(answer, arithmetic);
  if (typeof expression === 'string') return `The target is ${target}.`;
  const subtracted = subtractedNumbers(expression);
  const total = numbers.reduce((sum, number) => sum + number, 0);
  const isSigns = subtracted !== undefined && total - 2 * sumOf(subtracted) === target;
  const text = isSigns
    ? explainSigns(numbers, total, target, subtracted)
    : calculationsOf(expression, arithmetic).join(' ');
  return text !== '' && text.length <= maxExplanation ? text : `The target is ${target}.`;
}

const sumOf = (numbers: readonly number[]): number => numbers.reduce((sum, number) => sum + number, 0);

function explainSigns(
  numbers: readonly number[],
  total: number,
  target: number,
  subtracted: readonly number[],
): string {
  const sum = `${numbers.join(' + ')} = ${total}.`;
  if (subtracted.length === 0) return `${sum} That is the target.`;
  const half = (total - target) / 2;
  const parts = subtracted.length === 1 ? '' : `${subtracted.join(' + ')} = ${half}. `;
  return `${sum} ${total} - ${target} = ${total - target}. Half is ${half}. ${parts}Subtract ${subtracted.join(' and ')}.`;
}

/** The numbers that a plain sum subtracts; undefined where there is anything but numbers, + and -. */
function subtractedNumbers(expression: Expression): number[] | undefined {
  if (expression.kind === 'number') return [];
  if (expression.kind === 'negation' || (expression.operator !== '+' && expression.operator !== '-'))
    return undefined;
  const { left, right, operator } = expression;
  const before = subtractedNumbers(left);
  if (before === undefined || right.kind !== 'number') return undefined;
  return operator === '-' ? [...before, right.value] : before;
}

/** `3 + 4 = 7.` for each calculation, inner ones first. */
function calculationsOf(expression: Expression, arithmetic: Arithmetic): string[] {
  if (expression.kind === 'number') return [];
  if (expression.kind === 'negation') return calculationsOf(expression.of, arithmetic);
  const { left, right, operator } = expression;
  const [first, second, result] = [left, right, expression].map((part) => {
    const value = evaluate(part, arithmetic);
    return typeof value === 'string' ? undefined : formatFraction(value);
  });
  if (first === undefined || second === undefined || result === undefined) return [];
  return [
    ...calculationsOf(left, arithmetic),
    ...calculationsOf(right, arithmetic),
    `${first} ${operator} ${second} = ${result}.`,
  ];
}
