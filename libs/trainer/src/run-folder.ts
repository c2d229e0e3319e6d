/**
 * @file Where things lie in a run folder. Sinks of the caller add `metrics.jsonl` and trajectories beside them.
 *
 *   run.lock            held while a process works here
 *   spec.json           the resolved spec
 *   checkpoints/step-000010/   see checkpoint.ts
 *   validation/step-000010.json   outcomes level by level
 */
import { join } from 'node:path';

/** Names a step so that names sort like numbers. */
export const stepName = (step: number): string => `step-${String(step).padStart(6, '0')}`;

export const checkpointsFolder = (runFolder: string): string => join(runFolder, 'checkpoints');
export const validationFile = (runFolder: string, step: number): string =>
  join(runFolder, 'validation', `${stepName(step)}.json`);
export const specFile = (runFolder: string): string => join(runFolder, 'spec.json');
