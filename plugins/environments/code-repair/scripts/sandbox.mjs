// What the scripts of this folder share: running programs of tasks in the built sandbox.
import { pool } from '../dist/sandbox/pool.js';
import { judge } from '../dist/report.js';
import { argumentsOf } from '../dist/task.js';
import { parseValue } from '../dist/values.js';

const memoryBytes = 64 * 2 ** 20;
pool.enter();
export const close = () => pool.leave();

/** The result of a program over some tests. */
export function run(task, source, tests = task.tests, timeMs = 3000) {
  const calls = tests.map(({ args }) => argumentsOf(task, args));
  return pool.run(task.language, { source, entry: task.entry, calls }, { timeMs, memoryBytes });
}

/** What the tests say of a program: verdicts. */
export const verdictsOf = async (task, source) => judge(task, await run(task, source)).verdicts;

/** What a program answers to each list of arguments. */
export async function answersOf(task, source, lists) {
  const { answers, loadError } = await run(
    task,
    source,
    lists.map((args) => ({ args })),
  );
  if (loadError !== undefined || answers.some(({ kind }) => kind !== 'value'))
    throw new Error(`${task.name}: ${loadError ?? JSON.stringify(answers)}`);
  return answers.map(({ text }) => parseValue(text));
}
