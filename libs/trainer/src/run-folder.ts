/**
 * @file Paths in a run folder. The caller's sinks add `metrics.jsonl` and trajectories.
 *
 *   run.lock            held while a process uses the folder
 *   spec.json           the resolved spec
 *   checkpoints/step-000010/   see checkpoint.ts
 *   validation/step-000010.json   outcomes of each level
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { AppError } from '@espalier/contracts';

/** Names a step; up to 999999, names sort like numbers. */
export const stepName = (step: number): string => `step-${String(step).padStart(6, '0')}`;

export const checkpointsFolder = (runFolder: string): string => join(runFolder, 'checkpoints');
export const validationFile = (runFolder: string, step: number): string =>
  join(runFolder, 'validation', `${stepName(step)}.json`);
export const specFile = (runFolder: string): string => join(runFolder, 'spec.json');
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
