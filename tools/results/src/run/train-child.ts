/**
 * @file One training run as a child process, in our own session, so that it has the priority we were given. A stop
 * request reaches it once, or it would abort instead of saving: from a terminal Ctrl-C goes to the child as well, so
 * main.ts says whether we have to pass it on.
 */
import { spawn } from 'node:child_process';
import { createWriteStream, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { type Job, overridesOf, saveRequest, stateOf } from './job.js';

const cli = fileURLToPath(new URL('../../../../apps/cli/dist/main.js', import.meta.url));

/** Reason of a stop request that the terminal has already brought to the children. */
export const signalledByTerminal = 'signalled by the terminal';

export interface ChildOptions {
  readonly threads: number | undefined;
  readonly signal: AbortSignal;
  /** an iteration is done */
  readonly onStep: (step: number) => void;
}

export interface ChildResult {
  readonly exitCode: number;
  /** last line of its output */
  readonly lastLine: string;
}

/** Trains one seed, from its newest checkpoint where there is one; its output goes to the job's log. */
export function trainChild(job: Job, { threads, signal, onStep }: ChildOptions): Promise<ChildResult> {
  mkdirSync(dirname(job.folder), { recursive: true });
  const resume = stateOf(job) === 'absent' ? [] : ['--resume'];
  saveRequest(job);
  const set = [...overridesOf(job), ...(threads === undefined ? [] : [`device.threads=${threads}`])];
  const words = ['train', job.entry.config, ...set.flatMap((one) => ['--set', one]), '--out', job.folder];
  const child = spawn(process.execPath, [cli, ...words, ...resume], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, NO_COLOR: '1' },
  });
  const stop = (): void => {
    if (signal.reason !== signalledByTerminal) child.kill('SIGTERM');
  };
  signal.addEventListener('abort', stop, { once: true });
  const log = createWriteStream(job.log, { flags: 'a' });
  let lastLine = '';
  for (const stream of [child.stdout, child.stderr]) {
    createInterface({ input: stream }).on('line', (line) => {
      log.write(`${line}\n`);
      if (line.trim() !== '') lastLine = line;
      const step = /^step (\d+) {2}success/.exec(line)?.[1];
      if (step !== undefined) onStep(Number(step));
    });
  }
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => {
      signal.removeEventListener('abort', stop);
      log.end(() => resolve({ exitCode: code ?? 1, lastLine }));
    });
  });
}
