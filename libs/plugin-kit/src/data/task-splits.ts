/**
 * @file Deals the tasks of a list to training, validation and test, so that no split has a task of a group of another. Where
 * a group goes depends on nothing but its name: with more data no group moves from test to training.
 */
import { AppError } from '@espalier/contracts';
import { createStream, deriveSeed, splitOfSeed } from '@espalier/random';

/** The tasks of each split, shuffled once and for all. */
export interface TaskSplits<T> {
  readonly train: readonly T[];
  readonly validation: readonly T[];
  readonly test: readonly T[];
}

/** Share of groups that are held out, for validation and, where no test is given, as many for test. */
const heldOut = 0.1;

/**
 * Splits tasks by groups.
 *
 * @param tasks for training and validation, and for test where none is given
 * @param groupOf what a task stems from, such as the original question of a paraphrase; case and white space do not matter
 * @param test tasks for test; their groups are taken from the others
 */
export function splitTasks<T>(
  tasks: readonly T[],
  groupOf: (task: T) => string,
  test?: readonly T[],
): TaskSplits<T> {
  const keyOf = (task: T): string => groupOf(task).toLowerCase().replace(/\s+/g, ' ').trim();
  const reserved = new Set(test?.map(keyOf));
  const splits = { train: [] as T[], validation: [] as T[], test: [...(test ?? [])] };
  for (const task of tasks) {
    const key = keyOf(task);
    if (reserved.has(key)) continue;
    const place = deriveSeed('task split', key) / 2 ** 32;
    if (place < heldOut) splits.validation.push(task);
    else if (test === undefined && place < 2 * heldOut) splits.test.push(task);
    else splits.train.push(task);
  }
  const shuffle = (list: readonly T[]): readonly T[] => createStream(deriveSeed('task order')).shuffle(list);
  return {
    train: shuffle(splits.train),
    validation: shuffle(splits.validation),
    test: shuffle(splits.test),
  };
}

/**
 * The task that a state seed stands for: consecutive seeds of a split give each of its tasks once before one repeats.
 *
 * @throws plugin.failed where the split has none
 */
export function taskOfSeed<T>(splits: TaskSplits<T>, seed: number): T {
  const { split, index } = splitOfSeed(seed);
  const tasks = splits[split];
  const task = tasks[index % Math.max(1, tasks.length)];
  if (task !== undefined) return task;
  throw new AppError(
    'plugin.failed',
    `reset: no task belongs to the split ${split}; give more tasks, as one in ten groups is held out for each`,
  );
}
