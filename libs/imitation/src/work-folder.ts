/**
 * @file The folder of an unfinished warm start, next to the result: `<out>.work`. One process holds it at a time.
 *
 *   start/       the model at step 0: tokenizer files and initial weights
 *   latest/      weights, optimizer moments and state.json of the last save; complete or absent
 *   model/       the model of that save in its published form, with its card
 *   spec.json    the spec, without what may change: tokens, validation and device
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { AppError, runLayout, type TrainableModel, type WarmStartSpec } from '@espalier/contracts';
import { createRemovableFolder, saveWholeFile } from '@espalier/files';
import { createRunLock } from '@espalier/trainer';
import type { CurriculumPosition } from './curriculum.js';

/** The progress of a warm start. */
export interface WarmStartState {
  readonly step: number;
  readonly tokens: number;
  readonly position: CurriculumPosition;
  /** of the held-out text, before the first step of a pretrained student */
  readonly perplexityBefore?: number;
}

export interface WorkFolder {
  readonly root: string;
  /** the model at step 0, with its tokenizer */
  readonly start: string;
  /** the current model in its published form */
  readonly model: string;
  /** the last saved state and its weights, if there is one */
  readonly latest: { readonly folder: string; readonly state: WarmStartState } | undefined;
  save(model: TrainableModel, state: WarmStartState): Promise<string>;
  /** Removes everything, once the result is published. */
  remove(): void;
  /** Releases the folder; removes it if it is new and holds no saved state. */
  close(): void;
}

/** Where an unfinished warm start of `out` is. */
export const workFolderOf = (out: string): string => `${out.replace(/(?<![\\/])[\\/]+$/, '')}.work`;

/**
 * Opens the work folder of `out` and locks it.
 *
 * @param fresh discard its content
 * @throws trainer.run_exists when it holds an unfinished warm start of another spec; trainer.run_locked
 */
export function openWorkFolder(out: string, spec: WarmStartSpec, fresh: boolean): WorkFolder {
  const root = workFolderOf(out);
  const removeCreated = createRemovableFolder(root);
  const lock = createRunLock(root);
  let isNew: boolean;
  try {
    isNew = claimFolder(root, comparableSpec(spec), fresh);
  } catch (error) {
    lock.release();
    throw error;
  }
  const folder = join(root, 'latest');
  const statePath = join(folder, runLayout.checkpointState);
  const remove = (): void => {
    lock.release();
    rmSync(root, { recursive: true, force: true });
  };
  return {
    root,
    start: join(root, 'start'),
    model: join(root, 'model'),
    latest: existsSync(statePath)
      ? { folder, state: JSON.parse(readFileSync(statePath, 'utf8')) as WarmStartState }
      : undefined,
    save: (model, state) => replaceLatest(root, model, state),
    remove,
    close() {
      if (!isNew || existsSync(statePath)) return lock.release();
      remove();
      removeCreated();
    },
  };
}

function comparableSpec(spec: WarmStartSpec): string {
  const { tokens: _aim, validation: _measured, device: _computed, ...made } = spec;
  return JSON.stringify(made, null, 2);
}

/** Claims the folder for a spec; returns whether it is new. */
function claimFolder(root: string, text: string, fresh: boolean): boolean {
  const specPath = join(root, runLayout.spec);
  const present = readdirSync(root).filter((name) => !name.startsWith('run.lock'));
  if (fresh) for (const name of present) rmSync(join(root, name), { recursive: true });
  const isNew = fresh || present.length === 0;
  const isSame = existsSync(specPath) && readFileSync(specPath, 'utf8') === text;
  if (!isNew && !isSame) {
    throw new AppError(
      'trainer.run_exists',
      `warm start: "${root}" holds an unfinished warm start of another spec; remove the folder, discard it with --fresh, or choose another --out`,
      { details: { folder: root } },
    );
  }
  saveWholeFile(specPath, text);
  return isNew;
}

async function replaceLatest(root: string, model: TrainableModel, state: WarmStartState): Promise<string> {
  const [folder, next, old] = ['latest', 'next', 'old'].map((name) => join(root, name)) as [
    string,
    string,
    string,
  ];
  for (const path of [next, old]) rmSync(path, { recursive: true, force: true });
  mkdirSync(next);
  await model.save(next, { optimizer: true });
  saveWholeFile(join(next, runLayout.checkpointState), JSON.stringify(state));
  if (existsSync(folder)) renameSync(folder, old);
  renameSync(next, folder);
  rmSync(old, { recursive: true, force: true });
  return folder;
}
