/** @file Reads task files (YAML) and deals their tasks to the splits. What cannot be used is an error with file and place. */
import { readFileSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { data } from '@espalier/plugin-kit';
import { parseDocument } from 'yaml';
import type { z } from 'zod';
import { type Task, taskFile } from './task.js';

/** Largest task file, in bytes. */
const maxFile = 16 * 2 ** 20;

export interface TaskFiles {
  readonly train: readonly string[];
  readonly validation?: readonly string[] | undefined;
  readonly test?: readonly string[] | undefined;
}

/** Tasks of files, held out by group where no files say otherwise. */
export function readTasks(files: TaskFiles): data.TaskSplits<Task> {
  const [train, validation, test] = [files.train, files.validation, files.test].map((paths) =>
    paths?.flatMap(readTaskFile),
  );
  const splits = data.splitTasks(train ?? [], groupOf, test);
  if (validation === undefined) return splits;
  const reserved = new Set([...validation, ...(test ?? [])].map(groupOf));
  // named files decide, so nothing else is held out
  const rest = (train ?? []).filter((task) => !reserved.has(groupOf(task)));
  const held = new Set((test ?? []).map(groupOf));
  return {
    train:
      test === undefined
        ? [...splits.train, ...splits.validation].filter((task) => rest.includes(task))
        : rest,
    validation: validation.filter((task) => !held.has(groupOf(task))),
    test: splits.test.filter((task) => test !== undefined || !reserved.has(groupOf(task))),
  };
}

/** Tasks of a group are never in two splits. */
export const groupOf = (task: Task): string =>
  (task.group ?? JSON.stringify([task.goal, task.setup])).toLowerCase().replace(/\s+/g, ' ').trim();

/** The tasks of one file. @throws plugin.failed */
export function readTaskFile(file: string): Task[] {
  const path = resolve(file);
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats?.isFile() !== true)
    throw data.invalidData(file, 'start', 'there is no such file; name a task file');
  if (stats.size > maxFile)
    throw data.invalidData(file, 'start', `it has more than ${maxFile} bytes; split it`);
  const document = parseDocument(readFileSync(path, 'utf8'));
  const [error] = document.errors;
  if (error !== undefined)
    throw data.invalidData(
      file,
      `line ${error.linePos?.[0].line ?? 1}`,
      `it is no YAML (${error.message.split('\n')[0]})`,
    );
  let value: unknown;
  try {
    value = document.toJS({ maxAliasCount: 100 });
  } catch (cause) {
    throw data.invalidData(file, 'start', `it cannot be read (${(cause as Error).message})`);
  }
  const parsed = taskFile.safeParse(value);
  if (!parsed.success) throw data.invalidData(file, ...describeIssue(parsed.error.issues[0]!));
  const { server, tools, tasks } = parsed.data;
  const ids = new Set<string>();
  return tasks.map((task) => {
    const place = `task "${task.id}" of ${file}`;
    if (ids.has(task.id))
      throw data.invalidData(file, `task "${task.id}"`, 'an earlier task has this id; give each its own');
    ids.add(task.id);
    const offered = task.tools ?? tools;
    return { ...task, ...(offered !== undefined && { tools: offered }), server, here: dirname(path), place };
  });
}

/** Where an issue is and what it is; keys that are not known are often misspelt. */
function describeIssue(issue: z.core.$ZodIssue): [place: string, finding: string] {
  if (issue.code === 'invalid_key') return [issue.path.slice(0, -1).join('.'), issue.issues[0]!.message];
  const place = issue.path.length === 0 ? 'start' : issue.path.join('.');
  if (issue.code !== 'unrecognized_keys') return [place, issue.message];
  const names = issue.keys.map((key) => `"${key}"`).join(', ');
  return [place, `it has no key ${names}; check the spelling against the environment's README`];
}
