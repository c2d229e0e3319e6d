/**
 * @file Countdown one calculation at a time, as in the television game: two numbers make room for their result, which must
 * be a positive whole number. The idea of several turns is TextArena's; points are those of the single answer.
 */
import { createStream, type EnvironmentInstance, type Observation } from '@espalier/plugin-kit';
import type { AnswerOptions } from './answer.js';
import {
  type Calculation,
  calculate,
  calculationsWith,
  numbersAfter,
  operatorsOf,
  type Puzzle,
  solve,
  type StepOperator,
} from './puzzle.js';
import { numbersOf, stateText } from './state.js';

interface Snapshot {
  readonly numbers: readonly number[];
  readonly target: number;
  readonly last: number;
}

/** A calculation that was read, and the numbers after it. */
interface Move extends Calculation {
  readonly after: readonly number[];
}

/** Reads `25 * 4`; undefined where that is no calculation with two of the numbers. */
function readMove(text: string, numbers: readonly number[]): Move | undefined {
  if (text.length > 60) return undefined;
  const found = /^[ \t]*(\d{1,10})[ \t]*([-+*/])[ \t]*(\d{1,10})[ \t]*$/.exec(text);
  if (found === null) return undefined;
  const left = Number(found[1]);
  const operator = found[2] as StepOperator;
  const right = Number(found[3]);
  const result = calculate(left, operator, right);
  if (result === undefined) return undefined;
  const after = numbersAfter(numbers, { left, operator, right, result });
  return after && { left, operator, right, result, after };
}

const write = ({ left, operator, right }: Calculation): string => `${left} ${operator} ${right}`;

/** Creates one table; `reset` draws its numbers. */
export function createSteps(options: AnswerOptions): EnvironmentInstance {
  let numbers: readonly number[] = [];
  let target = 0;
  /** result of the last calculation, 0 before the first */
  let last = 0;

  const observe = (): Observation => {
    const text = stateText({ numbers, target });
    return { text, stateKey: text };
  };
  const begin = (puzzle: Omit<Puzzle, 'solution'>, result: number): void => {
    ({ numbers, target } = puzzle);
    last = result;
  };
  const isReached = (): boolean =>
    last === target && (options.numbersUsed === 'some' || numbers.length === 1);
  const isOver = (): boolean => numbers.length === 1 || isReached();
  // a calculation may use any operator, whatever the target was made from
  const plan = (): readonly Calculation[] => {
    if (isOver()) return [];
    const drawn = solve(numbers, target, operatorsOf(options.operators), options.numbersUsed);
    return drawn.length > 0 ? drawn : solve(numbers, target, operatorsOf('all'), options.numbersUsed);
  };

  return {
    reset: ({ state }) => {
      begin(numbersOf(state, options), 0);
      return observe();
    },
    step: (action) => {
      const move = isOver() ? undefined : readMove(action, numbers);
      if (move !== undefined) begin({ numbers: move.after, target }, move.result);
      const success = isReached();
      const done = isOver();
      const reward = move === undefined ? 0 : success ? 1 : done ? options.partialScore : 0;
      const isMade = move !== undefined;
      return { observation: observe(), reward, done, success, valid: isMade, effective: isMade };
    },
    render: () => `${numbers.join('  ')}  →  ${target}`,
    oracle: () => plan().map(write),
    sampleAction: (seed) =>
      write(createStream(seed).pick([...calculationsWith(numbers, operatorsOf(options.operators))])),
    explain: ([first]) => {
      const move = first === undefined ? undefined : readMove(first, numbers);
      return move === undefined
        ? `The target is ${target}.`
        : `${write(move)} = ${move.result}. Then ${move.after.join(' ')} for ${target}.`;
    },
    facts: () => ({ numbers: [...numbers], target }),
    snapshot: (): Snapshot => ({ numbers, target, last }),
    restore: (snapshot) => {
      const saved = snapshot as Snapshot;
      begin(saved, saved.last);
    },
  };
}
