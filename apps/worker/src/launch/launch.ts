/**
 * @file Starts the process of an attempt so that it outlives the worker: a group of its own, its output in files, and
 * a shell in front that writes down how it ended, because a restarted worker is no parent and could not ask.
 */
import { spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { constants } from 'node:os';
import { findByCommandLine, findByVariable, type Living, startOf } from '@espalier/telemetry';

/** What is started, and where its output goes. */
export interface LaunchPlan {
  /** command line of the process */
  readonly words: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** file for its exit code */
  readonly exitFile: string;
  readonly logFile: string;
  /** default: the log */
  readonly outputFile?: string;
}

/** Signals to the group reach the shell as well; it waits on and tells. */
const script = 'trap : INT TERM HUP; "$@"; code=$?; echo "$code" > "$0.tmp"; mv "$0.tmp" "$0"; exit "$code"';

/** The exit file of its attempt, in the environment of a process and of all it starts. */
const mark = 'ESPALIER_ATTEMPT';

/** Starts a process group; resolves once it has a number. */
export async function launch({ words, env, exitFile, logFile, outputFile }: LaunchPlan): Promise<Living> {
  const log = openSync(logFile, 'a');
  const output = outputFile === undefined ? log : openSync(outputFile, 'a');
  try {
    const child = spawn('/bin/sh', ['-c', script, exitFile, ...words], {
      ...{ detached: true, stdio: ['ignore', output, log], env: { ...env, [mark]: exitFile } },
    });
    await new Promise<void>((resolve, reject) => {
      child.once('spawn', resolve);
      child.once('error', reject);
    });
    child.on('error', () => undefined);
    child.unref();
    const pid = child.pid ?? 0;
    return { pid, started: startOf(pid) };
  } finally {
    closeSync(log);
    if (output !== log) closeSync(output);
  }
}

/** Finds the shell of an attempt whose worker was killed before it could note the number. */
export function findLaunched(exitFile: string): Living | undefined {
  return findByCommandLine(`${script}\0${exitFile}\0`)[0];
}

/** Finds what still lives of an attempt, in its group or out of it; never what others started. */
export function findStarted(exitFile: string): Living[] {
  return findByVariable(mark, exitFile);
}

/** How a process ended. */
export interface Ending {
  readonly code: number | null;
  readonly signal: string | null;
}

/** Reads how a process ended, which no longer lives; without a word of its shell it was killed with it. */
export function readEnding(exitFile: string): Ending {
  let code: number;
  try {
    code = Number.parseInt(readFileSync(exitFile, 'utf8'), 10);
  } catch {
    return { code: null, signal: 'SIGKILL' };
  }
  if (Number.isNaN(code)) return { code: null, signal: 'SIGKILL' };
  const signal = Object.entries(constants.signals).find(([, number]) => number === code - 128)?.[0];
  return code > 128 && signal !== undefined ? { code: null, signal } : { code, signal: null };
}
