/** @file Runs programs against the tests of tasks, and keeps reports so that a program is run once. */
import { AppError } from '@espalier/plugin-kit';
import type { KnownTask } from './library.js';
import { judge, passedOf, type Report } from './report.js';
import { type Limits, pool } from './sandbox/pool.js';
import type { ProgramResult } from './sandbox/lane.js';
import { argumentsOf, type Task } from './task.js';

/** Most characters of the reports and programs that a process keeps. */
export const maxKept = 8_000_000;

interface Kept {
  readonly report: Promise<Report>;
  size: number;
}

/** Reports by what they depend on, the one asked for last at the end. */
const reports = new Map<string, Kept>();
let keptSize = 0;

/** Characters that are kept, for tests. */
export const keptCharacters = (): number => keptSize;

/** Lets everything go, for tests and measurements. */
export function forget(): void {
  reports.clear();
  keptSize = 0;
}

/**
 * What the tests say of a program.
 *
 * @throws plugin.failed where the sandbox fails
 */
export function test(task: Task, program: string, limits: Limits): Promise<Report> {
  const key = JSON.stringify([task.name, task.language, task.entry, limits, task.tests, program]);
  const known = reports.get(key);
  if (known !== undefined) {
    reports.delete(key);
    reports.set(key, known);
    return known.report;
  }
  const report = run(task, program, limits).then((result) => judge(task, result));
  const entry: Kept = { report, size: key.length };
  reports.set(key, entry);
  keptSize += entry.size;
  report.then(
    (found) => {
      if (reports.get(key) !== entry) return;
      const more = JSON.stringify(found).length;
      entry.size += more;
      keptSize += more;
      letGo();
    },
    () => drop(key, entry),
  );
  return report;
}

function letGo(): void {
  for (const [key, entry] of reports) {
    if (keptSize <= maxKept) return;
    drop(key, entry);
  }
}

function drop(key: string, entry: Kept): void {
  if (reports.get(key) !== entry) return;
  reports.delete(key);
  keptSize -= entry.size;
}

async function run(task: Task, program: string, limits: Limits): Promise<ProgramResult> {
  const calls = task.tests.map(({ args }) => argumentsOf(task, args));
  try {
    return await pool.run(task.language, { source: program, entry: task.entry, calls }, limits);
  } catch (error) {
    const finding = error instanceof Error ? error.message : String(error);
    throw new AppError(
      'plugin.failed',
      `run the program of task "${task.name}": its sandbox failed: ${finding}; free memory, or look whether the package of the interpreter is whole`,
      { details: { task: task.name } },
    );
  }
}

/** Tasks of files whose solution has passed. */
const proven = new WeakSet<Task>();

/**
 * The report of the program that a task starts with. The solution of a user's task is tried first; only a pass is kept.
 *
 * @throws plugin.failed where the solution does not pass, or the broken program does
 */
export async function startOf({ task, place }: KnownTask, limits: Limits): Promise<Report> {
  const fail = (finding: string): AppError =>
    new AppError('plugin.failed', `check task "${task.name}" (${place ?? 'shipped'}): ${finding}`, {
      details: { task: task.name },
    });
  if (place !== undefined && !proven.has(task)) {
    const result = await run(task, task.solution, limits);
    if (result.end === 'cut_off')
      throw fail('its solution did not end in time; raise timeLimitMs, or give it smaller tests');
    const report = judge(task, result);
    if (passedOf(report) < task.tests.length)
      throw fail(`its solution passes ${passedOf(report)} of ${task.tests.length} tests; mend it or them`);
    proven.add(task);
  }
  const report = await test(task, task.broken, limits);
  if (passedOf(report) === task.tests.length)
    throw fail('its broken program passes all tests; give it a fault that a test finds');
  return report;
}
