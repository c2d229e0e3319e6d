/**
 * @file Countdown as RAGEN plays it: one expression, and the episode is over. 0 for wrong numbers, 0.1 for the right
 * numbers with a wrong value or none, 1 for the target.
 */
import { createStream, type EnvironmentInstance, type Observation } from '@espalier/plugin-kit';
import { explainAnswer } from './explain.js';
import {
  type Arithmetic,
  evaluate,
  maxLength,
  numbersIn,
  type NumbersUsed,
  parseExpression,
  usesNumbers,
} from './expression.js';
import { operatorsOf, type Puzzle, type PuzzleOptions } from './puzzle.js';
import { puzzleOf, stateText } from './state.js';

export interface AnswerOptions extends PuzzleOptions {
  readonly numbersUsed: NumbersUsed;
  readonly arithmetic: Arithmetic;
  readonly partialScore: number;
}

/** What an answer is worth. */
export interface Judgement {
  /** the answer takes the numbers as it should */
  readonly usesNumbers: boolean;
  /** it has a value */
  readonly isComputed: boolean;
  readonly isTarget: boolean;
}

/** Judges an answer; takes a moment whatever it says. */
export function judge(
  answer: string,
  { numbers, target }: Pick<Puzzle, 'numbers' | 'target'>,
  { numbersUsed, arithmetic }: Pick<AnswerOptions, 'numbersUsed' | 'arithmetic'>,
): Judgement {
  if (answer.length > maxLength || !usesNumbers(numbersIn(answer), numbers, numbersUsed))
    return { usesNumbers: false, isComputed: false, isTarget: false };
  const expression = parseExpression(answer, arithmetic);
  const value = typeof expression === 'string' ? expression : evaluate(expression, arithmetic);
  if (typeof value === 'string') return { usesNumbers: true, isComputed: false, isTarget: false };
  const isTarget = value.denominator === 1n && value.numerator === BigInt(target);
  return { usesNumbers: true, isComputed: true, isTarget };
}

interface Snapshot extends Puzzle {
  readonly text: string;
  readonly answer: string;
}

/** Creates one table; `reset` draws its numbers. */
export function createAnswer(options: AnswerOptions): EnvironmentInstance {
  let puzzle: Puzzle = { numbers: [], target: 0, solution: '' };
  let text = '';
  let answer = '';

  const observe = (): Observation => {
    const state = stateText(puzzle);
    return { text, stateKey: text === state ? state : `${state} > ${text}` };
  };

  return {
    reset: ({ state }) => {
      puzzle = puzzleOf(state, options);
      text = stateText(puzzle);
      answer = '';
      return observe();
    },
    step: (given) => {
      const judgement = judge(given, puzzle, options);
      const reward = judgement.isTarget ? 1 : judgement.usesNumbers ? options.partialScore : 0;
      const effective = judgement.usesNumbers;
      answer = given.slice(0, maxLength);
      if (effective) text = `Your answer gets ${reward} points.`;
      return {
        observation: observe(),
        reward,
        done: true,
        success: judgement.isTarget,
        valid: judgement.isComputed,
        effective,
        metrics: { right_numbers: judgement.usesNumbers ? 1 : 0 },
      };
    },
    render: () => `${puzzle.numbers.join('  ')}  →  ${puzzle.target}${answer === '' ? '' : `\n${answer}`}`,
    oracle: () => [puzzle.solution],
    sampleAction: (seed) => {
      const stream = createStream(seed);
      const [first = 0, ...others] = stream.shuffle(puzzle.numbers);
      return others.reduce(
        (text, number) => `${text} ${stream.pick(operatorsOf(options.operators))} ${number}`,
        String(first),
      );
    },
    explain: ([plan = puzzle.solution]) =>
      explainAnswer(plan, puzzle.numbers, puzzle.target, options.arithmetic),
    facts: () => ({ numbers: [...puzzle.numbers], target: puzzle.target, answer }),
    snapshot: (): Snapshot => ({ ...puzzle, text, answer }),
    restore: (snapshot) => {
      const { text: shown, answer: given, ...rest } = snapshot as Snapshot;
      puzzle = rest;
      text = shown;
      answer = given;
    },
  };
}
