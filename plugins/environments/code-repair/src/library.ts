/** @file The tasks: those that ship and those of a user's files, read once and shared by all instances. */
import { fileURLToPath } from 'node:url';
import { data } from '@espalier/plugin-kit';
import { z } from 'zod';
import { type Task, taskSchema } from './task.js';

/** The sets that ship. */
export const taskSets = ['quixbugs', 'humaneval', 'humaneval-write', 'javascript'] as const;
export type TaskSet = (typeof taskSets)[number];

/** Where tasks come from. */
export type TaskSource =
  | { readonly source: 'shipped'; readonly sets: readonly TaskSet[] }
  | {
      readonly source: 'files';
      readonly tasks: readonly string[];
      readonly test?: readonly string[] | undefined;
    };

/** A task, and whether its solution is still to be tried. */
export interface KnownTask {
  readonly task: Task;
  /** file and line of a user's task */
  readonly place?: string;
}

/** How many sources a process keeps. */
const kept = 4;

const fileOf = (set: TaskSet): string => fileURLToPath(new URL(`../data/${set}.jsonl`, import.meta.url));
const filesOf = (source: TaskSource): string[] =>
  source.source === 'shipped' ? source.sets.map(fileOf) : [...source.tasks, ...(source.test ?? [])];

/** Opens the tasks; those of a group are in one split, whatever set or fault they are of. */
export const openTasks = data.openOnce(readTasks, filesOf, kept);

function readTasks(source: TaskSource): data.TaskSplits<KnownTask> {
  if (source.source === 'shipped')
    return data.splitTasks(
      source.sets.flatMap((set) => readFile(fileOf(set)).map(({ task }) => ({ task }))),
      ({ task }) => task.entry,
    );
  const read = (files: readonly string[]): KnownTask[] => files.flatMap(readFile);
  // a user's functions may all have one name; faults of one program have its solution
  const groupOf = ({ task }: KnownTask): string => task.group ?? task.solution;
  return data.splitTasks(read(source.tasks), groupOf, source.test && read(source.test));
}

function readFile(file: string): KnownTask[] {
  const tasks = [...data.readRecords(file)].map(({ value, place }) => {
    const { success, data: task, error } = taskSchema.safeParse(value);
    if (!success)
      throw data.invalidData(file, place, `${z.prettifyError(error).split('\n').join(' ')}; mend the task`);
    return { task: trimmed(task), place: `${file}, ${place}` };
  });
  if (tasks.length === 0) throw data.invalidData(file, 'line 1', 'has no task; expected a task per line');
  return tasks;
}

/** Actions are trimmed, so programs are, too. */
const trimmed = (task: Task): Task => ({
  ...task,
  broken: task.broken.trimEnd(),
  solution: task.solution.trimEnd(),
});
