import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openTasks, taskSets } from './library.js';
import { judge } from './report.js';
import { mostLanes, Pool } from './sandbox/pool.js';
import { argumentsOf } from './task.js';

const pool = new Pool(mostLanes);
beforeAll(() => pool.enter());
afterAll(() => pool.leave());

/** All tasks in the long mode, some of each set otherwise. */
const step = process.env['TEST_LONG'] === undefined ? 12 : 1;

describe.each(taskSets)('the tasks of %s', (set) => {
  const { train, validation, test } = openTasks({ source: 'shipped', sets: [set] });
  const tasks = [...train, ...validation, ...test].map(({ task }) => task);

  it('have a solution that passes, and start with a program that does not', async () => {
    for (const task of tasks.filter((_, place) => place % step === 0)) {
      const calls = task.tests.map(({ args }) => argumentsOf(task, args));
      const verdictsOf = async (source: string, timeMs: number): Promise<readonly string[]> => {
        const limits = { timeMs, memoryBytes: 64 * 2 ** 20 };
        return judge(task, await pool.run(task.language, { source, entry: task.entry, calls }, limits))
          .verdicts;
      };
      const solved = await verdictsOf(task.solution, 60_000);
      expect(new Set(solved), task.name).toEqual(new Set(['passed']));
      expect(await verdictsOf(task.broken, 3000), task.name).not.toEqual(solved);
    }
  });

  it('say nothing of a solution in what they show', () => {
    for (const { text, broken, solution, name } of tasks) {
      expect(broken, name).not.toBe(solution);
      expect(text.includes(solution), name).toBe(false);
    }
  });
});
