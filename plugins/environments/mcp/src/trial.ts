/**
 * @file A task is tried once in a process: a check that holds before anything was done, or that the solution does not meet,
 * would teach nonsense. A server of the task is started for it and thrown away. One that is shared keeps what the solution
 * did there: the setup of the next episode has to undo it, which is looked at when that begins.
 */
import { answers, openSession, refuse, type SessionOptions } from './session.js';
import type { Task } from './task/task.js';

/** How many tasks are remembered as tried. */
const kept = 10_000;
const tried = new Map<string, string>();

/** Tries a task unless that was done. @throws plugin.failed where it cannot be used, and what a server does */
export async function tryOnce(task: Task, options: SessionOptions, signal: AbortSignal): Promise<void> {
  const key = JSON.stringify(task);
  if (tried.has(key)) return;
  await tryTask(task, options, signal);
  const [oldest] = tried.keys();
  if (tried.size >= kept && oldest !== undefined) tried.delete(oldest);
  tried.set(key, task.id);
}

async function tryTask(task: Task, options: SessionOptions, signal: AbortSignal): Promise<void> {
  const { check, solution, goal } = task;
  if (check.answer !== undefined)
    for (const empty of ['', goal])
      if (answers(check.answer, empty))
        throw refuse(
          task,
          `check.answer: ${empty === '' ? 'an empty answer' : 'the text of the goal'} meets it; demand more`,
        );
  const { session, close } = await openSession(task, options, signal);
  try {
    if (check.answer === undefined) {
      const { met, of } = await session.measure();
      if (met === of)
        throw refuse(task, 'check: it holds at the start, so there is nothing to do; change it or the setup');
    }
    if (solution === undefined) return;
    for (const call of solution.calls) {
      const { isError, text } = await session.call(call);
      if (isError)
        throw refuse(task, `solution.calls: ${call.tool} answered an error: ${text.slice(0, 200)}`);
    }
    const { met, of } = await session.measure(solution.answer ?? '');
    if (met < of)
      throw refuse(task, `solution: it meets ${met} of ${of} demands of the check; mend one of them`);
  } finally {
    await close();
  }
}
