/** @file The adapter that a run began with, kept in its folder: the run that saved it may have removed it since. */
import { copyFileSync, existsSync, mkdirSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { AppError, runLayout, type RunSpec } from '@espalier/contracts';
import { type FolderModel, isHubModel, type ModelChoice, rootOf } from '@espalier/contracts/model-choice';
import { hashFile } from '@espalier/files';
import { isAdapterFolder } from '@espalier/model/adapters';
import { resolveModelFolder } from '@espalier/trainer';
import { findRecordedSpec } from './recorded-run.js';
import type { PlannedRun } from './resolve-run.js';
import type { RunFolder } from './run-folder.js';
import { loadStartModel } from './run-origin.js';

const isFolderModel = (model: ModelChoice): model is FolderModel => !('use' in model) && 'path' in model;

/**
 * Copies the adapter that a new run begins with into its folder, and lets the run begin with the copy. When that fails,
 * a folder made for the run is removed again.
 *
 * @throws trainer.write_failed
 */
export function keepStartAdapter(planned: PlannedRun, runFolder: RunFolder): PlannedRun {
  const { spec, model } = planned;
  const { choice } = model;
  if (model.base === undefined || !isFolderModel(choice)) return planned;
  const folder = join(runFolder.path, runLayout.start);
  try {
    copyFiles(model.folder, folder);
  } catch (cause) {
    rmSync(folder, { recursive: true, force: true });
    runFolder.remove();
    throw new AppError(
      'trainer.write_failed',
      `start run "${runFolder.path}": copy the adapter "${model.folder}": ${(cause as Error).message}; free disk space or fix permissions, then start it again`,
      { cause },
    );
  }
  const kept = { ...choice, path: folder };
  return { ...planned, spec: { ...spec, model: kept }, model: { ...model, choice: kept, folder } };
}

/** Folders inside are other things, such as older checkpoints of PEFT; a run has moments of its own. */
function copyFiles(from: string, to: string): void {
  mkdirSync(to);
  for (const name of readdirSync(from)) {
    const file = join(from, name);
    if (name !== 'optimizer.safetensors' && statSync(file).isFile()) copyFileSync(file, join(to, name));
  }
}

/**
 * The kept adapter with its base, in place of the model that the configuration of a resumed run names.
 *
 * @returns undefined when the run began with no adapter, or the configuration names no folder
 * @throws trainer.resume_mismatch when the configuration names another adapter than it did
 */
export function findStartAdapter({ model }: RunSpec, runFolder: string): ModelChoice | undefined {
  const kept = join(runFolder, runLayout.start);
  if (!isAdapterFolder(kept) || !isFolderModel(model)) return undefined;
  const recorded = findRecordedSpec(runFolder)?.model;
  if (recorded === undefined || !isFolderModel(recorded)) return undefined;
  // the folder of the run may have been named in another way, or moved
  const start = resolve(recorded.path) === resolve(kept) ? recorded : { ...recorded, path: kept };
  const began = loadStartModel(runFolder);
  if (began !== undefined && isDeepStrictEqual(locate(began), locate(model))) return start;
  // what a run that was killed at its start, or began on another host, had named is not known
  const isOther = began !== undefined && resolve(began.path) !== resolve(model.path);
  if (isOther && !holdsFilesOf(kept, model.path))
    throw new AppError(
      'trainer.resume_mismatch',
      `resume run "${runFolder}": model.path is ${model.path}, the run began with the adapter ${began.path}; a resumed run keeps its model: name that one, or start a new run`,
    );
  if (model.base === undefined) return start;
  const isPinned = began === undefined && isSameRepository(rootOf(model.base), start.base);
  return isPinned ? start : { ...start, base: model.base };
}

const locate = (model: FolderModel): FolderModel => ({ ...model, path: resolve(model.path) });

/** The run recorded the commit. */
const isSameRepository = (named: ModelChoice, recorded: ModelChoice | undefined): boolean =>
  recorded !== undefined && isHubModel(named) && isHubModel(recorded) && named.hub === recorded.hub;

/** Whether the model that a path refers to has every file of the kept adapter. */
function holdsFilesOf(kept: string, path: string): boolean {
  let folder: string;
  try {
    ({ folder } = resolveModelFolder(path));
  } catch {
    return false;
  }
  return readdirSync(kept).every(
    (name) => existsSync(join(folder, name)) && hashFile(join(folder, name)) === hashFile(join(kept, name)),
  );
}
