/**
 * @file Where a run begins: anew in an empty folder, or after the newest valid checkpoint of the same run.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { AppError, type RunSpec } from '@espalier/contracts';
import {
  type BrokenCheckpoint,
  type Checkpoint,
  dropUnfinished,
  loadNewestCheckpoint,
} from './checkpoint.js';
import { saveFileWhole } from './durable-folder.js';
import { specFile } from './run-folder.js';

export interface StartPoint {
  readonly checkpoint: Checkpoint | undefined;
  readonly broken: readonly BrokenCheckpoint[];
}

/** Changing these does not change what an iteration does. */
const changeable = new Set(['name', 'steps', 'validation', 'checkpoint', 'device', 'derived']);

/**
 * Finds where to begin in a run folder whose lock is held; sets broken checkpoints aside, writes nothing else.
 *
 * @throws trainer.run_exists, trainer.nothing_to_resume, trainer.resume_mismatch
 */
export function resolveStart(folder: string, spec: RunSpec, resume: boolean): StartPoint {
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
  if (hasRun) requireSameSpec(folder, JSON.parse(readFileSync(specFile(folder), 'utf8')) as RunSpec, spec);
  dropUnfinished(folder);
  const { checkpoint, broken } = loadNewestCheckpoint(folder);
  if (checkpoint === undefined && broken.length > 0) {
    throw new AppError(
      'trainer.broken_checkpoint',
      `resume run: all ${broken.length} checkpoint(s) in "${folder}" are broken; the first: ${broken[0]?.message ?? ''}`,
      { details: { broken } },
    );
  }
  return { checkpoint, broken };
}

/**
 * Marks the folder as one that holds a run and stores the spec.
 *
 * @returns which attempt at the run this is, from 1
 */
export function beginAttempt(folder: string, spec: RunSpec): number {
  saveFileWhole(specFile(folder), `${JSON.stringify(spec, null, 2)}\n`);
  const file = join(folder, 'attempts.json');
  const before = existsSync(file)
    ? (JSON.parse(readFileSync(file, 'utf8')) as { attempts: number }).attempts
    : 0;
  saveFileWhole(file, `${JSON.stringify({ attempts: before + 1 })}\n`);
  return before + 1;
}

function requireSameSpec(folder: string, before: RunSpec, now: RunSpec): void {
  const difference = firstDifference(
    Object.fromEntries(Object.entries(before).filter(([key]) => !changeable.has(key))),
    JSON.parse(
      JSON.stringify(Object.fromEntries(Object.entries(now).filter(([key]) => !changeable.has(key)))),
    ),
    '',
  );
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
