/**
 * @file Where a run begins: anew in an empty folder, or after the newest valid checkpoint of the same run.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { AppError, type RunSpec } from '@espalier/contracts';
import { dropUnfinished } from './checkpoint.js';
import { loadRunFile, saveFileWhole } from './durable-folder.js';
import { allBroken, type FoundCheckpoint, loadNewestCheckpoint } from './find-checkpoint.js';
import { specFile } from './run-folder.js';

/** Changing these does not change what an iteration does. */
const changeable = new Set(['name', 'steps', 'validation', 'checkpoint', 'device', 'derived']);
/** Nor does where a plugin runs, in whatever part of the spec. */
const places = new Set(['isolation', 'callTimeoutMs']);

/**
 * Finds where to begin in a run folder whose lock is held; sets broken checkpoints aside, writes nothing else.
 *
 * @throws trainer.run_exists, trainer.nothing_to_resume, trainer.resume_mismatch, trainer.broken_run,
 *         trainer.broken_checkpoint
 */
export function resolveStart(folder: string, spec: RunSpec, resume: boolean): FoundCheckpoint {
  const hasRun = existsSync(specFile(folder));
  if (hasRun && !resume) {
    throw new AppError(
      'trainer.run_exists',
      `start run: "${folder}" already holds one; resume it, or choose another folder`,
    );
  }
  if (!hasRun && resume) {
    throw new AppError(
      'trainer.nothing_to_resume',
      `resume run: "${folder}" holds none; start one without resuming`,
    );
  }
  if (hasRun) requireSameSpec(folder, spec);
  dropUnfinished(folder);
  const found = loadNewestCheckpoint(folder, { putAside: true });
  if (found.checkpoint === undefined && found.broken.length > 0)
    throw allBroken(`resume run "${folder}"`, found.broken);
  return found;
}

/**
 * Marks the folder as one that holds a run and stores the spec.
 *
 * @returns which attempt at the run this is, from 1
 * @throws trainer.broken_run when the count of attempts is damaged
 */
export function beginAttempt(folder: string, spec: RunSpec): number {
  const file = join(folder, 'attempts.json');
  const attempt = (existsSync(file) ? readAttempts(file) : 0) + 1;
  saveFileWhole(specFile(folder), `${JSON.stringify(spec, null, 2)}\n`);
  saveFileWhole(file, `${JSON.stringify({ attempts: attempt })}\n`);
  return attempt;
}

function readAttempts(file: string): number {
  const remedy = 'restore it, or delete it to count attempts from 1 again';
  const { attempts } = loadRunFile(file, remedy);
  if (typeof attempts === 'number' && Number.isSafeInteger(attempts) && attempts > 0) return attempts;
  throw new AppError('trainer.broken_run', `read "${file}": no count of attempts in it; ${remedy}`);
}

function comparable(spec: object): unknown {
  const kept = Object.fromEntries(Object.entries(spec).filter(([key]) => !changeable.has(key)));
  return JSON.parse(
    JSON.stringify(kept, (key, value: unknown) => (places.has(key) ? undefined : value)),
  ) as unknown;
}

function requireSameSpec(folder: string, now: RunSpec): void {
  const remedy = 'restore it; every checkpoint of the run holds a copy';
  const before = loadRunFile(specFile(folder), remedy);
  const difference = firstDifference(comparable(before), comparable(now), '');
  if (difference === undefined) return;
  throw new AppError(
    'trainer.resume_mismatch',
    `resume run "${folder}": ${difference}; a resumed run keeps its spec (free to change: ${[...changeable].slice(0, 5).join(', ')})`,
  );
}

/** Names the first place where two JSON values differ. */
export function firstDifference(before: unknown, now: unknown, path: string): string | undefined {
  if (typeof before === 'object' && before !== null && typeof now === 'object' && now !== null) {
    const keys = new Set([...Object.keys(before), ...Object.keys(now)]);
    for (const key of keys) {
      const read = (value: object): unknown => (value as Record<string, unknown>)[key];
      const found = firstDifference(read(before), read(now), path === '' ? key : `${path}.${key}`);
      if (found !== undefined) return found;
    }
    return undefined;
  }
  if (before === now) return undefined;
  return `${path} was ${JSON.stringify(before) ?? 'absent'}, now ${JSON.stringify(now) ?? 'absent'}`;
}
