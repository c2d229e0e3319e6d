/** @file What the tests say of a program, as facts and as text. Holds no times, so that equal programs have equal reports. */
import type { ProgramResult } from './sandbox/lane.js';
import { callOf, type Task } from './task.js';
import { areEqual, parseValue, toLiteral } from './values.js';

export type Verdict =
  | 'passed'
  | 'wrong'
  | 'raised'
  | 'too_large'
  | 'cut_off'
  | 'crashed'
  | 'exited'
  | 'not_run';

export interface Report {
  readonly verdicts: readonly Verdict[];
  /** of each test, the value or error in short; empty where there is none */
  readonly found: readonly string[];
  /** why no test was run */
  readonly unloaded?: string;
  /** while it was read and in the calls that may be shown */
  readonly printed: string;
  readonly isCutOff: boolean;
}

/** Difference that fractions may have where a test states none. */
const usualTolerance = 1e-6;
/** Characters of a value, of a call and of the output in a text. */
const maxShown = 160;

const unloaded: Readonly<Record<ProgramResult['end'], string>> = {
  finished: 'it was not read',
  exited: 'it ended the interpreter',
  crashed: 'it crashed the interpreter',
  cut_off: 'it did not end in time',
};

/** Compares what a program answered with what the tests expect. */
export function judge(task: Task, { answers, loadError, end, printed }: ProgramResult): Report {
  const isCutOff = end === 'cut_off';
  const isLoaded = loadError === undefined && (answers.length > 0 || end === 'finished');
  const verdicts: Verdict[] = [];
  const found: string[] = [];
  for (const [place, { expected, tolerance }] of task.tests.entries()) {
    const answer = answers[place];
    if (answer === undefined) {
      const isFirst = place === answers.length && loadError === undefined;
      verdicts.push(isFirst && end !== 'finished' ? end : 'not_run');
      found.push('');
    } else if (answer.kind === 'value') {
      const value = parseValue(answer.text);
      const isRight =
        value !== undefined &&
        areEqual(value, expected, {
          language: task.language,
          tolerance: tolerance ?? usualTolerance,
          sequencesAlike: task.sequences === 'alike',
        });
      verdicts.push(isRight ? 'passed' : 'wrong');
      found.push(value === undefined ? 'no value' : shorten(toLiteral(value, task.language)));
    } else {
      verdicts.push(answer.kind);
      found.push(answer.kind === 'raised' ? shorten(answer.text) : '');
    }
  }
  return {
    verdicts,
    found,
    ...(!isLoaded && { unloaded: loadError ?? unloaded[end] }),
    printed: shorten(printed.trimEnd(), 2 * maxShown),
    isCutOff,
  };
}

export const passedOf = ({ verdicts }: Report): number => verdicts.filter((one) => one === 'passed').length;

const outcomes: Readonly<Record<Exclude<Verdict, 'passed'>, string>> = {
  wrong: 'but is',
  raised: 'but raised',
  too_large: 'but is too large',
  cut_off: 'but did not end in time; later tests were not run',
  crashed: 'but crashed the interpreter; later tests were not run',
  exited: 'but ended the interpreter; later tests were not run',
  not_run: 'but was not run',
};

/** How much of the tests is shown. */
export interface Showing {
  /** share of the tests whose values may be shown, from the first */
  readonly visible: number;
  /** most failing tests that are listed */
  readonly listed: number;
}

/** How many tests may be shown; the others only count. */
export const visibleTests = ({ tests }: Task, { visible }: Pick<Showing, 'visible'>): number =>
  Math.max(1, Math.round(tests.length * visible));

/** The report as lines. */
export function describeReport(task: Task, report: Report, showing: Showing): string[] {
  const total = task.tests.length;
  const lines = [`Tests: ${passedOf(report)} of ${total} pass.`];
  if (report.unloaded !== undefined) lines.push(`The program cannot be used: ${report.unloaded}`);
  else {
    const failing = failingTests(task, report, showing);
    lines.push(...failing.map(({ call, expected, outcome }) => `${call} should be ${expected}, ${outcome}`));
    if (failing.length === 0 && passedOf(report) < total)
      lines.push('All tests that are shown pass; hidden ones do not.');
  }
  if (report.printed !== '') lines.push(`Output: ${report.printed}`);
  return lines;
}

export interface FailingTest {
  readonly call: string;
  readonly expected: string;
  readonly outcome: string;
}

/** The first failing tests that may be shown; those that were not run say nothing. */
export function failingTests(task: Task, { verdicts, found }: Report, showing: Showing): FailingTest[] {
  return task.tests
    .slice(0, visibleTests(task, showing))
    .flatMap(({ args, expected }, place) => {
      const verdict = verdicts[place] ?? 'not_run';
      if (verdict === 'passed' || verdict === 'not_run') return [];
      const outcome = `${outcomes[verdict]} ${found[place] ?? ''}`.trimEnd();
      return [
        { call: shorten(callOf(task, args)), expected: shorten(toLiteral(expected, task.language)), outcome },
      ];
    })
    .slice(0, showing.listed);
}

export function shorten(text: string, most = maxShown): string {
  return text.length > most ? `${text.slice(0, most)}…` : text;
}
