/** @file A Python program beside ours: it prints its versions, and an answer for each line that it is sent. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { AppError } from '@espalier/contracts';
import type { BenchOptions, Skipped } from '../row.js';

/** Says which packages are missing; undefined where all can be imported. */
export function findMissingPackages(
  { python = '' }: BenchOptions,
  packages: readonly string[],
): Skipped | undefined {
  const { status } = spawnSync(python, ['-c', `import ${packages.join(', ')}`], { stdio: 'ignore' });
  if (status === 0) return undefined;
  return {
    skipped: `"${python}" has no ${packages.join(' and ')}; name one that has: --python VENV/bin/python`,
  };
}

export interface PythonPeer {
  readonly versions: Readonly<Record<string, string>>;
  /** Sends a question, which the program interprets; resolves with its answer. */
  ask<T>(question: unknown): Promise<T>;
  close(): void;
}

/** Starts a program. @throws bench.item_failed where it ends by itself */
export async function openPythonPeer(
  { python = '' }: BenchOptions,
  program: string,
  args: readonly (string | number)[],
  env: Readonly<Record<string, string>> = {},
): Promise<PythonPeer> {
  const child = spawn(python, [program, ...args.map(String)], {
    stdio: ['pipe', 'pipe', 'inherit'],
    env: { ...process.env, ...env },
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const next = async <T>(): Promise<T> => {
    const { value, done } = await lines.next();
    if (done === true) throw new AppError('bench.item_failed', `bench: ${program}: ${await endingOf(child)}`);
    return JSON.parse(value) as T;
  };
  return {
    versions: await next<Record<string, string>>(),
    ask: <T>(question: unknown) => {
      child.stdin.write(`${JSON.stringify(question)}\n`);
      return next<T>();
    },
    close: () => void child.stdin.end(),
  };
}

async function endingOf(child: ChildProcess): Promise<string> {
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  return `it ended with ${child.signalCode ?? `exit code ${child.exitCode}`}; its own words are above`;
}
