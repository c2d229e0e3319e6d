/** @file For tests: a task file in a folder, and an environment that plays its only task. */
import { existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { EnvironmentInstance, StepResult } from '@espalier/plugin-kit';
import mcp from '../index.js';

const here = dirname(fileURLToPath(import.meta.url));

/** A program of this folder, or of what the build made. */
export const programOf = (name: string): string => join(here, name);
export const deskProgram = join(here, '../../dist/desk/main.js');

/** The program of a server of the registry. */
export const serverOf = (name: string): string => {
  const file = createRequire(import.meta.url).resolve(`@modelcontextprotocol/server-${name}/package.json`);
  return join(dirname(file), 'dist/index.js');
};

export const folder = mkdtempSync(join(tmpdir(), 'espalier-mcp-spec-'));
let files = 0;

/** Writes a task file; YAML holds JSON. */
export function writeTasks(value: unknown): string {
  const file = join(folder, `tasks-${files++}.yaml`);
  writeFileSync(file, typeof value === 'string' ? value : JSON.stringify(value));
  return file;
}

/** A spare task in files of their own, so that no task of the file under test is held out. */
const spare = (goal: string): string =>
  writeTasks({
    server: { builtIn: 'desk' },
    tasks: [{ id: 'spare', goal, check: { answer: { equals: 'z' } } }],
  });
const held = [spare('for validation'), spare('for test')] as const;

/** Limits that a slow machine keeps; tests of a limit give their own. */
const patient = { startTimeoutMs: 60_000, toolTimeoutMs: 60_000 };

/** An environment over a task file. */
export function createOver(
  file: string,
  options: Readonly<Record<string, unknown>> = {},
): EnvironmentInstance {
  const tasks = { source: 'files', train: [file], validation: [held[0]], test: [held[1]] };
  return mcp.create(mcp.params.parse({ tasks, ...patient, ...options }));
}

/** Plays actions from the start. */
export async function playTask(
  file: string,
  actions: readonly string[] | 'oracle',
  options: Readonly<Record<string, unknown>> = {},
): Promise<{ readonly start: string; readonly results: readonly StepResult[] }> {
  const instance = createOver(file, options);
  try {
    const { text } = await instance.reset({ state: 0, noise: 0 });
    const results: StepResult[] = [];
    for (const action of actions === 'oracle' ? instance.oracle!() : actions)
      results.push(await instance.step(action));
    return { start: text, results };
  } finally {
    await instance.close?.();
  }
}

/** Whether a process runs. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch {
    return false;
  }
  // one that has ended and that nobody has asked about still has its number
  const stat = `/proc/${pid}/stat`;
  return !existsSync(stat) || !/^\d+ \(.*\) Z/.test(readFileSync(stat, 'utf8'));
}

/** Numbers that a server of `bad-server.mjs` has written to its log. */
export const pidsOf = (log: string): number[] =>
  existsSync(log) ? [...readFileSync(log, 'utf8').matchAll(/\d+/g)].map(([pid]) => Number(pid)) : [];
