/**
 * @file A word problem with retries, by RAGEN's rules for MetaMathQA: the k-th retry is worth 1/2^k, and only the right
 * answer ends the episode.
 */
import { createStream, type EnvironmentInstance, type Observation } from '@espalier/plugin-kit';
import { isCorrect, type Matching, parseNumber } from './answer.js';
import { type Problem, problemOf, type ProblemSource } from './problems.js';

export interface WordProblemOptions {
  readonly problems: ProblemSource;
  readonly matching: Matching;
}

interface Snapshot extends Problem {
  /** wrong answers so far */
  readonly wrong: number;
  readonly last: string;
  readonly isSolved: boolean;
}

/** Characters of an answer that are remembered. */
const maxRemembered = 200;

/** Creates one sheet; `reset` writes a problem on it. */
export function createWordProblems({ problems, matching }: WordProblemOptions): EnvironmentInstance {
  let state: Snapshot = { question: '', answer: '', solution: '', wrong: 0, last: '', isSolved: false };

  const observe = (): Observation => {
    const { question, wrong, isSolved } = state;
    if (isSolved) return { text: 'Correct!', stateKey: `${question} > correct after ${wrong}` };
    if (wrong === 0) return { text: question, stateKey: question };
    return { text: 'Incorrect. Please think again.', stateKey: `${question} > incorrect ${wrong}` };
  };

  return {
    reset: ({ state: seed }) => {
      const { question, answer, solution } = problemOf(seed, problems);
      state = { question, answer, solution, wrong: 0, last: '', isSolved: false };
      return observe();
    },
    step: (given) => {
      if (state.isSolved)
        return {
          observation: observe(),
          reward: 0,
          done: true,
          success: true,
          valid: false,
          effective: false,
        };
      const isRight = isCorrect(given, state.answer, matching);
      const reward = isRight ? 1 / 2 ** state.wrong : 0;
      state = {
        ...state,
        wrong: state.wrong + (isRight ? 0 : 1),
        last: given.slice(0, maxRemembered),
        isSolved: isRight,
      };
      return {
        observation: observe(),
        reward,
        done: isRight,
        success: isRight,
        valid: given.trim() !== '',
        effective: true,
        metrics: { is_number: parseNumber(given) === undefined ? 0 : 1 },
      };
    },
    render: () => {
      const { question, last, isSolved } = state;
      return last === '' ? question : `${question}\n${last}   ${isSolved ? '✓' : '✗'}`;
    },
    oracle: () => [state.answer],
    sampleAction: (seed) => sampleAnswer(state, seed),
    explain: () => state.solution || 'I give the answer.',
    facts: () => ({
      question: state.question,
      numbers: numbersIn(state.question),
      answer: state.answer,
      wrong: state.wrong,
      last: state.last,
    }),
    snapshot: () => state,
    restore: (snapshot) => {
      state = snapshot as Snapshot;
    },
  };
}

/** The numbers of a text, as they are written. */
function numbersIn(text: string): string[] {
  return text.match(/\d+(?:[.,]\d+)*/g) ?? [];
}

/** A number of the question, or one near the answer. */
function sampleAnswer({ question, answer }: Problem, seed: number): string {
  const stream = createStream(seed);
  const numbers = numbersIn(question);
  if (numbers.length > 0 && stream.int(2) === 0) return stream.pick(numbers);
  const near = Number(answer.replaceAll(',', ''));
  return Number.isSafeInteger(near) ? String(near + stream.int(7) - 3) : answer;
}
