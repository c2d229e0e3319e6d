/**
 * @file A child process whose output goes to a log. It runs in our own session, so that it has the priority we were given.
 * A stop request reaches it once, or it would abort instead of saving: from a terminal Ctrl-C goes to the child as well, so
 * the reason of the request says whether we have to pass it on.
 */
import { spawn } from 'node:child_process';
import { createWriteStream, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { createInterface } from 'node:readline';

/** Reason of a stop request that the terminal has already brought to the children. */
export const signalledByTerminal = 'signalled by the terminal';

/** Exit codes for a process that a signal has ended. */
const stopped = 75;
const failed = 1;

export interface ChildOptions {
  readonly log: string;
  readonly signal: AbortSignal;
  readonly onLine?: (line: string) => void;
  /** the process has begun */
  readonly onStart?: (pid: number) => void;
}

export interface ChildResult {
  readonly exitCode: number;
  /** last line of its output */
  readonly lastLine: string;
}

/** Runs a script with Node to its end. */
export function runChild(
  words: readonly string[],
  { log, signal, onLine, onStart }: ChildOptions,
): Promise<ChildResult> {
  mkdirSync(dirname(log), { recursive: true });
  const child = spawn(process.execPath, words, {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, NO_COLOR: '1' },
  });
  if (child.pid !== undefined) onStart?.(child.pid);
  const stop = (): void => {
    if (signal.reason !== signalledByTerminal) child.kill('SIGTERM');
  };
  if (signal.aborted) stop();
  signal.addEventListener('abort', stop, { once: true });
  const file = createWriteStream(log, { flags: 'a' });
  let lastLine = '';
  for (const stream of [child.stdout, child.stderr]) {
    createInterface({ input: stream }).on('line', (line) => {
      file.write(`${line}\n`);
      if (line.trim() !== '') lastLine = line;
      onLine?.(line);
    });
  }
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => {
      signal.removeEventListener('abort', stop);
      // a process that was asked to stop before it listened has done nothing yet
      const exitCode = code ?? (signal.aborted ? stopped : failed);
      file.end(() => resolve({ exitCode, lastLine }));
    });
  });
}
