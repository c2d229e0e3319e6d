/** @file Runs programs of a cluster: bounded time and output, nothing secret among their arguments. */
import { spawn } from 'node:child_process';

export interface ProgramRun {
  readonly program: string;
  readonly words: readonly string[];
  readonly input?: string;
  readonly environment?: Readonly<Record<string, string | undefined>>;
  readonly timeoutMs: number;
  /** in a session of its own, so that a Ctrl-C in the server's terminal does not reach what it starts */
  readonly isDetached?: boolean;
}

const maxOutput = 4 * 1024 * 1024;
const maxReason = 400;

/** The variables that programs of a cluster need; the server's own secrets are not among them. */
export function plainEnvironment(): Record<string, string> {
  const kept = /^(PATH|HOME|USER|LOGNAME|SHELL|LANG|LC_.*|TZ|TMPDIR|SLURM_CONF|SSH_AUTH_SOCK|KRB5CCNAME)$/;
  return Object.fromEntries(
    Object.entries(process.env).filter((entry): entry is [string, string] => kept.test(entry[0])),
  );
}

/** Runs a program to its end. @returns its output @throws with what it printed, when it fails or takes too long */
export function runProgram(run: ProgramRun): Promise<string> {
  const { program, words, input = '', environment = plainEnvironment(), timeoutMs } = run;
  return new Promise((resolve, reject) => {
    const child = spawn(program, words, {
      stdio: 'pipe',
      env: environment as NodeJS.ProcessEnv,
      detached: run.isDetached === true,
    });
    let output = '';
    let said = '';
    const fail = (reason: string): void =>
      reject(new Error(`${program}: ${reason}${said.trim() === '' ? '' : `: ${oneLine(said)}`}`));
    const timer = setTimeout(() => {
      child.kill('SIGKILL');
      // what it has started may keep its pipes open
      child.stdout.destroy();
      child.stderr.destroy();
      fail(`no answer within ${timeoutMs / 1000} s`);
    }, timeoutMs);
    child.stdout.on('data', (chunk: Buffer) => {
      if (output.length < maxOutput) output += chunk.toString();
    });
    child.stderr.on('data', (chunk: Buffer) => {
      if (said.length < maxOutput) said += chunk.toString();
    });
    child.stdin.on('error', () => undefined);
    child.stdin.end(input);
    child.once('error', (error) => {
      clearTimeout(timer);
      fail(error.message);
    });
    child.once('close', (code, signal) => {
      clearTimeout(timer);
      if (code === 0) resolve(output);
      else fail(signal === null ? `it ended with code ${String(code)}` : `it was ended by ${signal}`);
    });
  });
}

/** Text as part of a sentence: one line, not too long. */
export function oneLine(text: string): string {
  const plain = text.replace(/[\s\p{Cc}]+/gu, ' ').trim();
  return plain.length <= maxReason ? plain : `…${plain.slice(-maxReason)}`;
}

/** A word of the shell. */
export const quote = (word: string): string => `'${word.replaceAll("'", `'\\''`)}'`;
