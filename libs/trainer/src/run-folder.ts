/**
 * @file Paths in a run folder. The caller's sinks add `metrics.jsonl` and trajectories.
 *
 *   run.lock            held while a process uses the folder
 *   spec.json           the resolved spec
 *   start/              the adapter that the run began with, if it did with one
 *   checkpoints/step-000010/   see checkpoint.ts
 *   validation/step-000010.json   outcomes of each state
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { AppError, runLayout } from '@espalier/contracts';

export const checkpointsFolder = (runFolder: string): string => join(runFolder, runLayout.checkpoints);
export const validationFile = (runFolder: string, step: number): string =>
  join(runFolder, runLayout.validationOf(step));
export const specFile = (runFolder: string): string => join(runFolder, runLayout.spec);

/** Lists checkpoint folders, newest first; a `.old` one only if its successor is missing. */
export function listCheckpoints(runFolder: string): string[] {
  const parent = checkpointsFolder(runFolder);
  const names = existsSync(parent) ? readdirSync(parent) : [];
  return (
    names
      .filter(
        (name) =>
          /^step-\d+$/.test(name) || (/^step-\d+\.old$/.test(name) && !names.includes(name.slice(0, -4))),
      )
      // names of a million steps and more do not sort like numbers
      .sort((a, b) => (runLayout.stepOf(b) ?? 0) - (runLayout.stepOf(a) ?? 0))
      .map((name) => join(parent, name))
  );
}

/** The steps of checkpoints, newest first. */
export const listCheckpointSteps = (runFolder: string): number[] =>
  listCheckpoints(runFolder).flatMap((path) => runLayout.stepOf(path) ?? []);

/**
 * Reads a JSON object of a run folder.
 *
 * @param remedy what to do when the file is damaged
 * @throws trainer.corrupt_run naming the file
 */
export function loadRunFile(path: string, remedy: string): Readonly<Record<string, unknown>> {
  let finding = 'not a JSON object';
  let cause: unknown;
  try {
    const value: unknown = JSON.parse(readFileSync(path, 'utf8'));
    if (typeof value === 'object' && value !== null && !Array.isArray(value))
      return value as Readonly<Record<string, unknown>>;
  } catch (error) {
    cause = error;
    finding = error instanceof SyntaxError ? 'not JSON' : (error as Error).message;
  }
  throw new AppError('trainer.corrupt_run', `read "${path}": ${finding}; ${remedy}`, {
    details: { path },
    cause,
  });
}
