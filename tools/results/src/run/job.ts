/** @file One seed of one entry: its folder and its command. */
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { applyOverrides, loadConfig } from '@espalier/config';
import { AppError } from '@espalier/contracts';
import type { TrainingJob } from '@espalier/sweep';
import type { Entry } from '../matrix.js';

/** The command line of this workspace. */
export const cli = fileURLToPath(new URL('../../../../apps/cli/dist/main.js', import.meta.url));

export interface Job extends TrainingJob {
  readonly entry: Entry;
  readonly seed: number;
}

export function createJob(out: string, entry: Entry, seed: number): Job {
  const folder = join(out, entry.name, `seed-${seed}`);
  const model = entry.model === undefined ? [] : [`model.path=${modelFolder(out, entry.model)}`];
  return {
    label: `${entry.name} seed ${seed}`,
    config: entry.config,
    overrides: [`seed=${seed}`, ...model, ...entry.set],
    folder,
    log: `${folder}.log`,
    entry,
    seed,
  };
}

/** Where a model of the matrix is made. */
export const modelFolder = (out: string, model: string): string => join(out, 'models', model);

/** Lists the jobs of entries, one entry after the other. */
export function listJobs(out: string, entries: readonly Entry[], seeds?: number): Job[] {
  return entries.flatMap((entry) =>
    Array.from({ length: seeds ?? entry.seeds }, (_, index) => createJob(out, entry, index + 1)),
  );
}

/** The equivalent command for a user. */
export function commandOf({ config, overrides }: Job): string {
  const set = overrides.map((word) => ` --set ${/[{}[\]*?&|; ]/.test(word) ? `'${word}'` : word}`);
  return `npm run cli -- train ${config}${set.join('')}`;
}

/** @throws config.wrong_type when a run would not validate the model it starts from */
export function requireValidation({ entry, config, overrides }: Job): void {
  const { validation } = applyOverrides(loadConfig(config), overrides).value as {
    readonly validation?: { readonly atStart?: unknown };
  };
  if (validation?.atStart !== false) return;
  throw new AppError(
    'config.wrong_type',
    `run entry ${entry.name}: ${config} has validation.atStart: false, and success before training is unknown; remove it`,
  );
}
