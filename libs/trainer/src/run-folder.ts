/**
 * @file Paths in a run folder. The caller's sinks add `metrics.jsonl` and trajectories.
 *
 *   run.lock            held while a process uses the folder
 *   spec.json           the resolved spec
 *   checkpoints/step-000010/   see checkpoint.ts
 *   validation/step-000010.json   outcomes of each level
 */
import { join } from 'node:path';

/** Names a step; up to 999999, names sort like numbers. */
export const stepName = (step: number): string => `step-${String(step).padStart(6, '0')}`;

export const checkpointsFolder = (runFolder: string): string => join(runFolder, 'checkpoints');
export const validationFile = (runFolder: string, step: number): string =>
  join(runFolder, 'validation', `${stepName(step)}.json`);
export const specFile = (runFolder: string): string => join(runFolder, 'spec.json');
