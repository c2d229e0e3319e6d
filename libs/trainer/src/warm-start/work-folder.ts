/**
 * @file Where an unfinished warm start lies: beside the result, as `<out>.work`.
 *
 *   tokenizer/   tokenizer files and, for a new model, its initial weights
 *   latest/      weights, optimizer moments, state.json of the last validation; complete or absent
 *   spec.json    what is being made; another one starts anew (how it is measured and on which device may change)
 */
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { TrainableModel, WarmStartSpec } from '@espalier/contracts';
import { saveWholeFile } from '@espalier/model';
import type { CurriculumPosition } from './curriculum.js';

/** How far a warm start is. */
export interface WarmStartState {
  readonly step: number;
  readonly tokens: number;
  readonly position: CurriculumPosition;
}

export interface WorkFolder {
  /** the model at step 0, with its tokenizer */
  readonly start: string;
  /** the last saved state and its weights, if there is one */
  readonly latest: { readonly folder: string; readonly state: WarmStartState } | undefined;
  save(model: TrainableModel, state: WarmStartState): Promise<string>;
  remove(): void;
}

/** Opens the work folder of `out`; what was left there of another model, or anything without `resume`, is dropped. */
export function openWorkFolder(out: string, spec: WarmStartSpec, resume: boolean): WorkFolder {
  const root = `${out}.work`;
  const specPath = join(root, 'spec.json');
  const { validation: _measured, device: _computed, ...made } = spec;
  const text = JSON.stringify(made, null, 2);
  const isSame = existsSync(specPath) && readFileSync(specPath, 'utf8') === text;
  if (!resume || !isSame) rmSync(root, { recursive: true, force: true });
  mkdirSync(root, { recursive: true });
  saveWholeFile(specPath, text);
  const folder = join(root, 'latest');
  const statePath = join(folder, 'state.json');
  return {
    start: join(root, 'start'),
    latest: existsSync(statePath)
      ? { folder, state: JSON.parse(readFileSync(statePath, 'utf8')) as WarmStartState }
      : undefined,
    async save(model, state) {
      const next = join(root, 'next');
      const old = join(root, 'old');
      for (const path of [next, old]) rmSync(path, { recursive: true, force: true });
      mkdirSync(next);
      await model.save(next, { optimizer: true });
      saveWholeFile(join(next, 'state.json'), JSON.stringify(state));
      if (existsSync(folder)) renameSync(folder, old);
      renameSync(next, folder);
      rmSync(old, { recursive: true, force: true });
      return folder;
    },
    remove: () => rmSync(root, { recursive: true, force: true }),
  };
}
