/**
 * @file Countdown one calculation at a time, as in the television game: two numbers make room for their result, which must
 * be a positive whole number. The idea of several turns is TextArena's; points are those of the single answer.
 */
import {
  createStream,
  type EnvironmentInstance,
  type Observation,
  type StepResult,
} from '@espalier/plugin-kit';
import type { AnswerOptions } from './answer.js';
import {
  type Calculation,
  calculate,
  calculationsWith,
  operatorsOf,
  placesOf,
  type Puzzle,
  solve,
  type StepOperator,
  without,
} from './puzzle.js';
import { puzzleOf, stateText } from './state.js';

interface Snapshot {
  readonly numbers: readonly number[];
  readonly target: number;
  readonly last: number;
}

/** Reads `25 * 4`; undefined where that is no calculation with two of the numbers. */
function readCalculation(text: string, numbers: readonly number[]): Calculation | undefined {
  if (text.length > 60) return undefined;
  const found = /^[ \t]*(\d{1,10})[ \t]*([-+*/])[ \t]*(\d{1,10})[ \t]*$/.exec(text);
  if (found === null) return undefined;
  const [left, operator, right] = [Number(found[1]), found[2] as StepOperator, Number(found[3])];
  if (placesOf(numbers, left, right) === undefined) return undefined;
  const result = calculate(left, operator, right);
  return result === undefined ? undefined : { left, operator, right, result };
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
  const begin = (puzzle: Pick<Puzzle, 'numbers' | 'target'>, result: number): void => {
    ({ numbers, target } = puzzle);
    last = result;
  };
  const outcome = (): Pick<StepResult, 'done' | 'success'> => {
    const success = last === target && (options.numbersUsed === 'some' || numbers.length === 1);
    return { done: success || numbers.length === 1, success };
  };
  // a calculation may use any operator, whatever the target was made from
  const plan = (): readonly Calculation[] => {
    if (outcome().done) return [];
    const drawn = solve(numbers, target, operatorsOf(options.operators), options.numbersUsed);
    return drawn.length > 0 ? drawn : solve(numbers, target, operatorsOf('all'), options.numbersUsed);
  };

  return {
    reset: ({ state }) => {
      begin(puzzleOf(state, options), 0);
      return observe();
    },
    step: (action) => {
      const calculation = outcome().done ? undefined : readCalculation(action, numbers);
      if (calculation === undefined)
        return { observation: observe(), reward: 0, ...outcome(), valid: false, effective: false };
      begin({ numbers: without(numbers, calculation), target }, calculation.result);
      const { done, success } = outcome();
      const reward = success ? 1 : done ? options.partialScore : 0;
      return { observation: observe(), reward, done, success, valid: true, effective: true };
    },
    render: () => `${numbers.join('  ')}  →  ${target}`,
    oracle: () => plan().map(write),
    sampleAction: (seed) =>
      write(createStream(seed).pick([...calculationsWith(numbers, operatorsOf(options.operators))])),
    explain: ([first]) => {
      const calculation = first === undefined ? undefined : readCalculation(first, numbers);
      return calculation === undefined
        ? `The target is ${target}.`
        : `${write(calculation)} = ${calculation.result}. Then ${without(numbers, calculation).join(' ')} for ${target}.`;
    },
    facts: () => ({ numbers: [...numbers], target }),
    snapshot: (): Snapshot => ({ numbers, target, last }),
    restore: (snapshot) => {
      const saved = snapshot as Snapshot;
      begin(saved, saved.last);
    },
  };
}
