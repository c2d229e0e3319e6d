/** @file One seed of one entry: its folder, its command, and how far it has come. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { applyOverrides, canonicalJson, loadConfig } from '@espalier/config';
import { saveWholeFile } from '@espalier/files';
import { AppError, runLayout, type RunOutcome } from '@espalier/contracts';
import type { Entry } from '../matrix.js';

export interface Job {
  readonly entry: Entry;
  readonly seed: number;
  /** folder of the model that it starts from, where that was made for it */
  readonly model: string | undefined;
  /** run folder; the log and the request are next to it */
  readonly folder: string;
  readonly log: string;
}

export type JobState = 'absent' | 'interrupted' | 'finished';

export function createJob(out: string, entry: Entry, seed: number): Job {
  const folder = join(out, entry.name, `seed-${seed}`);
  const model = entry.model === undefined ? undefined : modelFolder(out, entry.model);
  return { entry, seed, model, folder, log: `${folder}.log` };
}

/** Where a model of the matrix is made. */
export const modelFolder = (out: string, model: string): string => join(out, 'models', model);

/** Lists the jobs of entries, one entry after the other. */
export function listJobs(out: string, entries: readonly Entry[], seeds?: number): Job[] {
  return entries.flatMap((entry) =>
    Array.from({ length: seeds ?? entry.seeds }, (_, index) => createJob(out, entry, index + 1)),
  );
}

/** The changes to the configuration of one seed. */
export function overridesOf({ entry, seed, model }: Pick<Job, 'entry' | 'seed' | 'model'>): string[] {
  return [`seed=${seed}`, ...(model === undefined ? [] : [`model.path=${model}`]), ...entry.set];
}

/** The equivalent command for a user. */
export function commandOf(job: Job): string {
  const set = overridesOf(job).map((word) => ` --set ${/[{}[\]*?&|; ]/.test(word) ? `'${word}'` : word}`);
  return `npm run cli -- train ${job.entry.config}${set.join('')}`;
}

/** The request as text that is equal for equal requests; threads do not affect a run. */
function requestOf(job: Job): string {
  return `${canonicalJson(applyOverrides(loadConfig(job.entry.config), overridesOf(job)).value)}\n`;
}

/** @throws config.wrong_type when a run would not validate the model it starts from */
export function requireValidation(job: Job): void {
  const { validation } = applyOverrides(loadConfig(job.entry.config), overridesOf(job)).value as {
    readonly validation?: { readonly atStart?: unknown };
  };
  if (validation?.atStart !== false) return;
  throw new AppError(
    'config.wrong_type',
    `run entry ${job.entry.name}: ${job.entry.config} has validation.atStart: false, and success before training is unknown; remove it`,
  );
}

const requestFile = ({ folder }: Job): string => `${folder}.request.json`;

/** Stores the request of a run, so that it counts as finished only for an equal request. */
export function saveRequest(job: Job): void {
  saveWholeFile(requestFile(job), requestOf(job));
}

/** How the newest attempt at a run ended; undefined while it is under way or was killed. */
export function outcomeOf(folder: string): RunOutcome | undefined {
  const file = join(folder, 'events.jsonl');
  if (!existsSync(file)) return undefined;
  const last = readFileSync(file, 'utf8').trimEnd().split('\n').at(-1) ?? '';
  try {
    const event = JSON.parse(last) as { kind?: string; outcome?: RunOutcome };
    return event.kind === 'run-ended' ? event.outcome : undefined;
  } catch {
    return undefined; // a line cut off by a crash
  }
}

/** Whether a run is finished for the current request. With another request it resumes, or refuses to. */
export function stateOf(job: Job): JobState {
  if (!existsSync(join(job.folder, runLayout.spec))) return 'absent';
  const outcome = outcomeOf(job.folder);
  const isOver = outcome === 'finished' || outcome === 'no-signal';
  const file = requestFile(job);
  const isSame = existsSync(file) && readFileSync(file, 'utf8') === requestOf(job);
  return isOver && isSame ? 'finished' : 'interrupted';
}
