/**
 * @file Paths in a run folder. The caller's sinks add `metrics.jsonl` and trajectories.
 *
 *   run.lock            held while a process uses the folder
 *   spec.json           the resolved spec
 *   start/              the adapter that the run began with, if it did with one
 *   checkpoints/step-000010/   see checkpoint.ts
 *   validation/step-000010.json   outcomes of each state
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { AppError, runLayout } from '@espalier/contracts';

export const checkpointsFolder = (runFolder: string): string => join(runFolder, runLayout.checkpoints);
export const validationFile = (runFolder: string, step: number): string =>
  join(runFolder, runLayout.validationOf(step));
export const specFile = (runFolder: string): string => join(runFolder, runLayout.spec);
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
