/**
 * @file Finds the newest checkpoint of a run that matches its manifest and reports newer, broken ones. Only a resuming
 * run, which holds the lock of its folder, moves broken ones aside; nothing is deleted.
 */
import { existsSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { AppError, isAppError } from '@espalier/contracts';
import { type Checkpoint, listCheckpoints, loadCheckpoint } from './checkpoint.js';
import { verifyFolder } from '@espalier/files';

export interface BrokenCheckpoint {
  /** its current path */
  readonly folder: string;
  readonly message: string;
}

export interface FoundCheckpoint {
  readonly checkpoint: Checkpoint | undefined;
  /** newer, unusable ones, newest first */
  readonly broken: readonly BrokenCheckpoint[];
}

/**
 * Finds the newest checkpoint that matches its manifest. Changes nothing on disk.
 *
 * @param accept returns why a checkpoint is unusable, if it is
 */
export function loadNewestCheckpoint(
  runFolder: string,
  { accept }: { readonly accept?: (checkpoint: Checkpoint) => string | undefined } = {},
): FoundCheckpoint {
  const broken: BrokenCheckpoint[] = [];
  for (const folder of listCheckpoints(runFolder)) {
    try {
      const checkpoint = loadCheckpoint(folder);
      const finding = accept?.(checkpoint);
      if (finding === undefined) return { checkpoint, broken };
      broken.push({ folder, message: `load checkpoint "${folder}": ${finding}` });
    } catch (error) {
      if (!isAppError(error) || error.code !== 'trainer.broken_checkpoint') throw error;
      broken.push({ folder, message: error.message });
    }
  }
  return { checkpoint: undefined, broken };
}

/**
 * Renames broken checkpoints to `broken-…` when another is usable; requires the lock of the run.
 *
 * @returns their current paths
 */
export function setAsideBroken({ checkpoint, broken }: FoundCheckpoint): readonly BrokenCheckpoint[] {
  return checkpoint === undefined ? broken : broken.map(moveAside);
}

function moveAside({ folder, message }: BrokenCheckpoint): BrokenCheckpoint {
  const name = folder.slice(folder.lastIndexOf('step-'));
  for (let attempt = 1; ; attempt += 1) {
    const aside = join(folder, '..', `broken-${name}-${attempt}`);
    if (existsSync(aside)) continue;
    renameSync(folder, aside);
    return { folder: aside, message };
  }
}

export interface FoundModel {
  readonly folder: string;
  /** skipped checkpoints of the run */
  readonly broken: readonly BrokenCheckpoint[];
}

/**
 * Finds the model folder that a path refers to: a model, a checkpoint, or a run folder (its newest valid checkpoint).
 * Changes nothing on disk.
 *
 * @throws trainer.nothing_to_resume when the path is none of them; trainer.broken_checkpoint when it is a broken
 *         checkpoint, or a run with no other
 */
export function resolveModelFolder(path: string): FoundModel {
  if (existsSync(join(path, 'config.json'))) return { folder: path, broken: [] };
  if (existsSync(join(path, 'policy', 'config.json'))) {
    verifyFolder(path);
    return { folder: join(path, 'policy'), broken: [] };
  }
  const { checkpoint, broken } = loadNewestCheckpoint(path);
  if (checkpoint !== undefined) return { folder: join(checkpoint.folder, 'policy'), broken };
  const [newest] = broken;
  if (newest !== undefined) throw allBroken(`open model "${path}"`, broken);
  throw new AppError(
    'trainer.nothing_to_resume',
    `open model "${path}": it has no config.json, policy/config.json or checkpoint; ` +
      'expected a model folder, a checkpoint or a run folder',
  );
}

/** Creates the error of a run whose checkpoints are all broken. */
export function allBroken(operation: string, broken: readonly BrokenCheckpoint[]): AppError {
  return new AppError(
    'trainer.broken_checkpoint',
    `${operation}: all ${broken.length} checkpoint(s) are broken, the newest: ${broken[0]?.message ?? ''}; ` +
      'restore its files, or start a new run',
    { details: { broken } },
  );
}
