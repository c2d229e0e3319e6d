/** @file Runs programs against the tests of tasks, each program once while its report is kept. */
import { AppError } from '@espalier/plugin-kit';
import { KeptReports } from './kept-reports.js';
import type { KnownTask } from './library.js';
import { judge, passedOf, type Report, visibleTests } from './report.js';
import { type Limits, pool } from './sandbox/pool.js';
import type { ProgramResult } from './sandbox/lane.js';
import { argumentsOf, type Task } from './task.js';

/** How programs are run, and of how many calls the output may be shown. */
export interface Setup {
  readonly limits: Limits;
  /** share of the tests whose values may be shown, from the first */
  readonly visible: number;
}

/** Eight million characters for a process. */
const reports = new KeptReports(8_000_000);

/**
 * What the tests say of a program.
 *
 * @throws plugin.failed where the sandbox fails
 */
export function test(task: Task, program: string, setup: Setup): Promise<Report> {
  const heard = visibleTests(task, setup);
  const key = JSON.stringify([
    task.name,
    task.language,
    task.entry,
    setup.limits,
    heard,
    task.sequences,
    task.tests,
    program,
  ]);
  return reports.get(key, async () => judge(task, await run(task, program, setup)));
}

async function run(task: Task, program: string, setup: Setup): Promise<ProgramResult> {
  const calls = task.tests.map(({ args }) => argumentsOf(task, args));
  const job = { source: program, entry: task.entry, calls, heard: visibleTests(task, setup) };
  try {
    return await pool.run(task.language, job, setup.limits);
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
export async function startOf({ task, place }: KnownTask, setup: Setup): Promise<Report> {
  const fail = (finding: string): AppError =>
    new AppError('plugin.failed', `check task "${task.name}" (${place ?? 'shipped'}): ${finding}`, {
      details: { task: task.name },
    });
  if (place !== undefined && !proven.has(task)) {
    const result = await run(task, task.solution, setup);
    if (result.end === 'cut_off')
      throw fail('its solution did not end in time; raise timeLimitMs, or give it smaller tests');
    const report = judge(task, result);
    if (passedOf(report) < task.tests.length)
      throw fail(`its solution passes ${passedOf(report)} of ${task.tests.length} tests; mend it or them`);
    proven.add(task);
  }
  const report = await test(task, task.broken, setup);
  if (passedOf(report) === task.tests.length)
    throw fail('its broken program passes all tests; give it a fault that a test finds');
  return report;
}
