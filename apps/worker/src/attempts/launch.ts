/**
 * @file Starts the process of an attempt so that it outlives the worker: in its own process group, with its output in
 * files, behind a shell that records the exit code, because a restarted worker is not its parent and cannot wait for it.
 */
import { spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { constants } from 'node:os';
import { findByCommandLine, findByVariable, type ProcessIdentity, startOf } from '@espalier/files';

/** What to start, and where its output goes. */
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

/** The shell ignores signals sent to the group, so that it can record the exit code. */
const script = 'trap : INT TERM HUP; "$@"; code=$?; echo "$code" > "$0.tmp"; mv "$0.tmp" "$0"; exit "$code"';

/** Environment variable of a process and its descendants; its value is the exit file of the attempt. */
const attemptVariable = 'ESPALIER_ATTEMPT';

/** Starts a process group; resolves once it has an id. */
export async function launch({
  words,
  env,
  exitFile,
  logFile,
  outputFile,
}: LaunchPlan): Promise<ProcessIdentity> {
  const log = openSync(logFile, 'a');
  const output = outputFile === undefined ? log : openSync(outputFile, 'a');
  try {
    const child = spawn('/bin/sh', ['-c', script, exitFile, ...words], {
      detached: true,
      stdio: ['ignore', output, log],
      env: { ...env, [attemptVariable]: exitFile },
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

/** Finds the shell of an attempt whose worker was killed before it could save the process id. */
export function findLaunched(exitFile: string): ProcessIdentity | undefined {
  return findByCommandLine(`${script}\0${exitFile}\0`)[0];
}

/** Finds all living processes of an attempt, in its group or not; never a process that another program started. */
export function findAttemptProcesses(exitFile: string): ProcessIdentity[] {
  return findByVariable(attemptVariable, exitFile);
}

/** How a process ended. */
export interface ExitStatus {
  readonly code: number | null;
  readonly signal: string | null;
}

/** Reads how a process ended. Without an exit code, the shell was killed together with the process. */
export function readExitStatus(exitFile: string): ExitStatus {
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
