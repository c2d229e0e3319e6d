/** @file What an attempt's process left behind: why it ended, for the user who started the run, and its result. */
import { closeSync, existsSync, fstatSync, openSync, readFileSync, readSync } from 'node:fs';
import { type EvaluationResult, maxOutcomes } from '@espalier/protocol';
import type { AttemptFolder } from './attempt-folder.js';
import type { ExitStatus } from './launch.js';
import type { ControlAction } from './trainer-process.js';
import { plainText } from '../outbox/decode-line.js';

const tailBytes = 4000;
/** exit code of a training run that failed or ran out of learning signal (docs/reference/cli.md) */
export const failed = 5;

export interface ExitReport {
  readonly exitStatus: ExitStatus;
  /** last message of the training process, or why it could not start */
  readonly finalMessage: string;
  readonly logFile: string;
  /** which files could not be uploaded */
  readonly unstored: string | undefined;
  /** the error that it printed instead of a result */
  readonly refusal?: string | undefined;
}

/**
 * Describes how a process ended. One that was interrupted on request before it handled signals counts as stopped. A
 * printed error comes first, so that an excerpt of the message shows the cause.
 */
export function describeExit(
  { exitStatus, finalMessage, logFile, unstored, refusal }: ExitReport,
  requested: ControlAction | undefined,
): ExitStatus & { readonly message: string } {
  const wasEarly = exitStatus.signal === 'SIGINT' && requested !== undefined;
  const { code, signal } = wasEarly ? { code: 75, signal: null } : exitStatus;
  // a process that explains why it ended needs neither its exit code nor its log repeated
  const isExplained = code === failed && finalMessage !== '';
  const reason = isExplained ? '' : reasonOf({ code, signal }, requested);
  const isPlain = code === 0 || code === 75 || isExplained;
  const { error, rest } = isPlain ? { error: '', rest: '' } : takeError(readTail(logFile));
  const parts = [
    refusal ?? error,
    wasEarly ? 'stopped on request before it started' : reason,
    finalMessage,
    unstored ?? '',
    rest,
  ];
  const message = parts.filter((part) => part !== '').join('\n');
  return { code, signal, message: message.slice(0, 20_000) };
}

/** Errors in a log, as the command line prints them: a line and its indented continuation. */
const errors = /(?:^|\n)(error [a-z][\w.]*: [^\n]*(?:\n {6}[^\n]*)*)/g;

/** Separates the last error from the text around it. */
function takeError(tail: string): { readonly error: string; readonly rest: string } {
  const found = [...tail.matchAll(errors)].at(-1);
  if (found === undefined) return { error: '', rest: tail };
  const [whole, error = ''] = found;
  const around = [tail.slice(0, found.index), tail.slice(found.index + whole.length)];
  return {
    error,
    rest: around
      .map((text) => text.trim())
      .filter((text) => text !== '')
      .join('\n'),
  };
}

function reasonOf({ code, signal }: ExitStatus, requested: string | undefined): string {
  if (signal !== null) {
    const why = requested === undefined ? '' : `, after a request to ${requested}`;
    return `ended by ${signal}${why}`;
  }
  return code === 0 ? '' : `ended with exit code ${code}`;
}

/** Reads the end of a log, from the start of a line. */
function readTail(file: string): string {
  if (!existsSync(file)) return '';
  const descriptor = openSync(file, 'r');
  try {
    const { size } = fstatSync(descriptor);
    const bytes = Buffer.alloc(Math.min(size, tailBytes));
    readSync(descriptor, bytes, 0, bytes.length, size - bytes.length);
    const lines = bytes.toString('utf8').split('\n');
    if (size > tailBytes) lines.shift();
    return lines.map(plainText).join('\n').trim();
  } finally {
    closeSync(descriptor);
  }
}

/** Reads the result that an evaluation printed, with its episodes if there are at most 1000, or its error. */
export function readResult({ resultFile, assignment }: Pick<AttemptFolder, 'resultFile' | 'assignment'>): {
  readonly result?: EvaluationResult;
  readonly refusal?: string;
} {
  if (assignment.kind !== 'evaluate' || !existsSync(resultFile)) return {};
  try {
    const value = JSON.parse(readFileSync(resultFile, 'utf8')) as Printed;
    // readers know the checkpoint by its artifact path, not by its path on this machine
    if (!('error' in value))
      return { result: { ...limitOutcomes(value), model: assignment.evaluate?.path ?? '' } };
    const { code, message } = value.error;
    return { refusal: `error ${String(code)}: ${String(message)}` };
  } catch {
    return {};
  }
}

type Printed = EvaluationResult | { readonly error: { readonly code: string; readonly message: string } };

/** Leaves out lists of outcomes and totals that are too long for every reader of the job. */
function limitOutcomes({ outcomes, rescoredTotals, continued, ...rest }: EvaluationResult): EvaluationResult {
  const all = continued?.reduce((sum, one) => sum + (one.outcomes?.length ?? 0), 0) ?? 0;
  return {
    ...rest,
    ...(outcomes !== undefined && outcomes.length <= maxOutcomes && { outcomes }),
    ...(rescoredTotals !== undefined && rescoredTotals.length <= maxOutcomes && { rescoredTotals }),
    ...(continued !== undefined && {
      continued: all <= maxOutcomes ? continued : continued.map(({ outcomes: _, ...rates }) => rates),
    }),
  };
}
