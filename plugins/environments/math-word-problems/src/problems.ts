/** @file Where problems come from: made from a seed, or read from files of GSM8K and MetaMathQA. */
import { AppError, createStream, data, deriveSeed, splitOfSeed } from '@espalier/plugin-kit';
import { tellStory } from './stories.js';

/** A problem and its answer. */
export interface Problem {
  readonly question: string;
  readonly answer: string;
  /** how to get there; may be empty */
  readonly solution: string;
}

/** Problems that are made. */
export interface GeneratedProblems {
  readonly source: 'generated';
  /** fewest and most calculations */
  readonly steps: readonly [number, number];
  readonly highest: number;
}

/** Problems that are read. */
export interface ProblemFiles {
  readonly source: 'files';
  readonly train: readonly string[];
  readonly test?: readonly string[] | undefined;
  /** how many rows to read of each file */
  readonly count?: number | undefined;
}

export type ProblemSource = GeneratedProblems | ProblemFiles;

/** The problem of a state seed. */
export function problemOf(seed: number, source: ProblemSource): Problem {
  return source.source === 'generated' ? makeProblem(seed, source) : data.taskOfSeed(openFiles(source), seed);
}

/** Enough draws to find one of a tenth of all problems. */
const maxDraws = 400;

/**
 * Makes the problem of a seed. The numbers of a problem say to which split it belongs, so that no split has a problem of
 * another, not even about other people; problems of other splits are drawn again.
 */
function makeProblem(seed: number, { steps: [fewest, most], highest }: GeneratedProblems): Problem {
  const { split } = splitOfSeed(seed);
  const stream = createStream(deriveSeed('math word problem', seed));
  for (let draw = 0; draw < maxDraws; draw++) {
    const steps = fewest + stream.int(most - fewest + 1);
    const { text, calculations, answer } = tellStory(stream, steps, highest);
    const solution = calculations.join(' ');
    if (splitOfNumbers(solution) === split) return { question: text, answer: String(answer), solution };
  }
  throw new AppError(
    'plugin.failed',
    `reset: found no problem for the split ${split}; raise \`highest\` or the steps`,
  );
}

/** The split that a problem with these calculations belongs to: a tenth each for validation and test. */
export function splitOfNumbers(calculations: string): 'train' | 'validation' | 'test' {
  const tenth = Math.floor((deriveSeed('math word problem split', calculations) / 2 ** 32) * 10);
  return tenth === 0 ? 'validation' : tenth === 1 ? 'test' : 'train';
}

/** A problem of a file, with what it stems from. */
interface Row extends Problem {
  readonly original: string;
}

/** How many sets of files a process keeps. */
const kept = 2;
const openFiles = data.openOnce(
  splitFiles,
  ({ train, test = [] }: ProblemFiles) => [...train, ...test],
  kept,
);

/** Splits the rows of files. Every question of a test file is kept out of training, however few rows of it are asked for. */
function splitFiles({ train, test, count }: ProblemFiles): data.TaskSplits<Row> {
  const tests = test?.map((path) => readProblems(path));
  const splits = data.splitTasks(
    train.flatMap((path) => readProblems(path, count)),
    ({ original }) => original,
    tests?.flat(),
  );
  if (tests === undefined) return splits;
  const wanted = new Set(tests.flatMap((rows) => rows.slice(0, count)));
  return { ...splits, test: splits.test.filter((row) => wanted.has(row)) };
}

/** Reads the problems of one file. @throws plugin.failed that names the line of what cannot be used */
export function readProblems(file: string, count = Infinity): Row[] {
  const rows: Row[] = [];
  for (const { value, place } of data.readRecords(file)) {
    const row = parseRow(value);
    if (typeof row === 'string') throw data.invalidData(file, place, row);
    rows.push(row);
    // before the next row is read
    if (rows.length >= count) break;
  }
  if (rows.length === 0)
    throw data.invalidData(file, 'its end', 'has no problem; expected rows of GSM8K or MetaMathQA');
  return rows;
}

/** Longest answer, and longest solution that is kept, in characters. */
const maxAnswer = 200;
const maxSolution = 800;

/** What introduces the final answer: in MetaMathQA, which may have both, and in GSM8K. */
const marks = ['The answer is:', '####'] as const;

/** A row of GSM8K (`question`, `answer` with `#### 72`), of MetaMathQA (`query`, `response`), or plain; else what is wrong. */
function parseRow(raw: unknown): Row | string {
  const question = textOf(raw, 'query') || textOf(raw, 'question');
  if (question === '') return 'has no `query` and no `question`; expected one of them as text';
  const text = textOf(raw, 'response') || textOf(raw, 'answer');
  const mark = marks.find((phrase) => text.includes(phrase));
  const answer = mark === undefined ? text : text.slice(text.lastIndexOf(mark) + mark.length).trim();
  if (answer === '' || answer.length > maxAnswer)
    return 'has no final answer; expected `response` or `answer` that ends with "#### 72" or "The answer is: 72", or is a number';
  const ends = marks.map((phrase) => text.indexOf(phrase)).filter((end) => end >= 0);
  const solution = text
    .slice(0, Math.min(...ends, mark === undefined ? 0 : Infinity))
    .replace(/<<[^<>]*>>/g, '')
    .trim();
  return {
    question,
    answer,
    solution: solution.length > maxSolution ? '' : solution,
    original: textOf(raw, 'original_question') || question,
  };
}

/** A field of a row as text; empty where it has none. */
function textOf(row: unknown, name: string): string {
  if (typeof row !== 'object' || row === null || !Object.hasOwn(row, name)) return '';
  const value = (row as Readonly<Record<string, unknown>>)[name];
  return typeof value === 'string' ? value.trim() : typeof value === 'number' ? String(value) : '';
}
