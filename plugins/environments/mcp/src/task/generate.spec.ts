import { describe, expect, it } from 'vitest';
import { tryOnce } from '../trial.js';
import { generateTasks, kinds } from './generate.js';
import { groupOf } from './read-tasks.js';

const options = { servers: 1, startMs: 8000, callMs: 5000, maxMessageBytes: 1e6 };

describe('generated tasks', () => {
  it('are solved by their solutions and by doing nothing never, of every kind', async () => {
    const { train } = generateTasks(3, 200);
    expect(new Set(train.map(({ id }) => id.split('-')[0]))).toEqual(new Set(Object.keys(kinds)));
    for (const task of train) await tryOnce(task, options, new AbortController().signal);
  });

  it('need several calls', () => {
    for (const { solution } of generateTasks(0, 300).train)
      expect(solution!.calls.length).toBeGreaterThanOrEqual(2);
  });

  it('are in one split only', () => {
    const { train, validation, test } = generateTasks(0, 1000);
    const groups = [train, validation, test].map((tasks) => new Set(tasks.map(groupOf)));
    expect(Math.min(...groups.map(({ size }) => size))).toBeGreaterThan(60);
    expect(new Set(groups.flatMap((group) => [...group])).size).toBe(
      groups.reduce((sum, { size }) => sum + size, 0),
    );
  });

  it('are the same for a seed, and others for another', () => {
    expect(generateTasks(1, 100)).toEqual(generateTasks(1, 100));
    expect(generateTasks(1, 100)).not.toEqual(generateTasks(2, 100));
  });

  it('earn nothing for an answer that is always the same', () => {
    const answers = generateTasks(0, 2000).train.flatMap(({ solution }) => solution?.answer ?? []);
    const counts = new Map<string, number>();
    for (const answer of answers) counts.set(answer, (counts.get(answer) ?? 0) + 1);
    expect(Math.max(...counts.values()) / answers.length).toBeLessThan(0.03);
  });
});
