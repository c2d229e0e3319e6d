/** @file Why a process ended, in words for the person who started the run. */
import { closeSync, existsSync, fstatSync, openSync, readSync } from 'node:fs';
import type { Ending } from '../launch/launch.js';
import { plainText } from '../shipping/decode-line.js';

const tailBytes = 4000;
/** exit code of a training that failed or had nothing left to learn from (docs/reference/cli.md) */
export const failed = 5;

export interface EndingFacts {
  readonly ending: Ending;
  /** what the training said when it ended, or why it could not begin */
  readonly lastWords: string;
  readonly logFile: string;
  /** what could not be stored */
  readonly unstored: string | undefined;
  /** the error that it gave in place of a result */
  readonly refusal?: string | undefined;
}

/**
 * Describes the end of a process; one that was interrupted on request before it listened has stopped. An error that it
 * printed stands first: whoever shows only the beginning shows why.
 */
export function describeEnding(
  { ending, lastWords, logFile, unstored, refusal }: EndingFacts,
  asked: 'pause' | 'cancel' | 'kill' | undefined,
): Ending & { readonly message: string } {
  const wasEarly = ending.signal === 'SIGINT' && asked !== undefined;
  const { code, signal } = wasEarly ? { code: 75, signal: null } : ending;
  // a training that says itself why it ended needs neither its number nor its log beside that
  const isExplained = code === failed && lastWords !== '';
  const reason = isExplained ? '' : reasonOf({ code, signal }, asked);
  const isPlain = code === 0 || code === 75 || isExplained;
  const { error, rest } = isPlain ? { error: '', rest: '' } : takeError(readTail(logFile));
  const parts = [
    refusal ?? error,
    wasEarly ? 'stopped on request before it began' : reason,
    ...[lastWords, unstored ?? '', rest],
  ];
  const message = parts.filter((part) => part !== '').join('\n');
  return { code, signal, message: message.slice(0, 20_000) };
}

/** Errors in a log, in the form of the command line: a line, and its indented continuation. */
const errors = /(?:^|\n)(error [a-z][\w.]*: [^\n]*(?:\n {6}[^\n]*)*)/g;

/** Parts the last error from what was printed around it. */
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

function reasonOf({ code, signal }: Ending, asked: string | undefined): string {
  if (signal !== null) {
    const why = asked === undefined ? '' : `, after a request to ${asked}`;
    return `ended by ${signal}${why}`;
  }
  return code === 0 ? '' : `ended with exit code ${code}`;
}

/** The end of a log, from the beginning of a line. */
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
