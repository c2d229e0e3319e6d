/**
 * @file Finds the newest checkpoint of a run that matches its manifest and reports newer, corrupt ones. Only a resuming
 * run, which holds the lock of its folder, moves corrupt ones aside; nothing is deleted.
 */
import { existsSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { AppError, isAppError } from '@espalier/contracts';
import { type Checkpoint, loadCheckpoint } from './checkpoint.js';
import { verifyFolder } from '@espalier/files';
import { listCheckpoints } from './run-folder.js';

export interface CorruptCheckpoint {
  /** its current path */
  readonly folder: string;
  readonly message: string;
}

export interface FoundCheckpoint {
  readonly checkpoint: Checkpoint | undefined;
  /** newer, unusable ones, newest first */
  readonly corrupt: readonly CorruptCheckpoint[];
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
  const corrupt: CorruptCheckpoint[] = [];
  for (const folder of listCheckpoints(runFolder)) {
    try {
      const checkpoint = loadCheckpoint(folder);
      const finding = accept?.(checkpoint);
      if (finding === undefined) return { checkpoint, corrupt };
      corrupt.push({ folder, message: `load checkpoint "${folder}": ${finding}` });
    } catch (error) {
      if (!isAppError(error) || error.code !== 'trainer.corrupt_checkpoint') throw error;
      corrupt.push({ folder, message: error.message });
    }
  }
  return { checkpoint: undefined, corrupt };
}

/**
 * Renames corrupt checkpoints to `corrupt-…` when another is usable; requires the lock of the run.
 *
 * @returns their current paths
 */
export function setAsideCorrupt({ checkpoint, corrupt }: FoundCheckpoint): readonly CorruptCheckpoint[] {
  return checkpoint === undefined ? corrupt : corrupt.map(moveAside);
}

function moveAside({ folder, message }: CorruptCheckpoint): CorruptCheckpoint {
  const name = folder.slice(folder.lastIndexOf('step-'));
  for (let attempt = 1; ; attempt += 1) {
    const aside = join(folder, '..', `corrupt-${name}-${attempt}`);
    if (existsSync(aside)) continue;
    renameSync(folder, aside);
    return { folder: aside, message };
  }
}

export interface FoundModel {
  readonly folder: string;
  /** skipped checkpoints of the run */
  readonly corrupt: readonly CorruptCheckpoint[];
}

/**
 * Finds the model folder that a path refers to: a model, a checkpoint, or a run folder (its newest valid checkpoint).
 * Changes nothing on disk.
 *
 * @throws model.not_found when the path is none of them; trainer.corrupt_checkpoint when it is a corrupt
 *         checkpoint, or a run with no other
 */
export function resolveModelFolder(path: string): FoundModel {
  if (existsSync(join(path, 'config.json'))) return { folder: path, corrupt: [] };
  if (existsSync(join(path, 'policy', 'config.json'))) {
    verifyFolder(path);
    return { folder: join(path, 'policy'), corrupt: [] };
  }
  const { checkpoint, corrupt } = loadNewestCheckpoint(path);
  const remote = [path, checkpoint?.folder ?? path].find((one) =>
    existsSync(join(one, 'policy', 'remote.json')),
  );
  if (remote !== undefined)
    throw new AppError(
      'engine.unsupported',
      `open model "${path}": its weights are on the server that trained them; ${join(remote, 'policy', 'remote.json')} names it, download them there`,
    );
  if (checkpoint !== undefined) return { folder: join(checkpoint.folder, 'policy'), corrupt };
  const [newest] = corrupt;
  if (newest !== undefined) throw allCorrupt(`open model "${path}"`, corrupt);
  if (existsSync(join(path, 'adapter_config.json')))
    throw new AppError(
      'model.not_found',
      `open model "${path}": it is an adapter without its base; name the base beside it (model: { path, base }), or merge the two with \`espalier model merge\``,
    );
  throw new AppError(
    'model.not_found',
    `open model "${path}": it has no config.json, policy/config.json or checkpoint; ` +
      'expected a model folder, a checkpoint or a run folder',
  );
}

/** Creates the error of a run whose checkpoints are all corrupt. */
export function allCorrupt(operation: string, corrupt: readonly CorruptCheckpoint[]): AppError {
  return new AppError(
    'trainer.corrupt_checkpoint',
    `${operation}: all ${corrupt.length} checkpoint(s) are corrupt, the newest: ${corrupt[0]?.message ?? ''}; ` +
      'restore its files, or start a new run',
    { details: { corrupt } },
  );
}
