/** @file The adapter that a run began with, kept in its folder: the run that saved it may have removed it since. */
import { cpSync, existsSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { runLayout, type RunSpec } from '@espalier/contracts';
import type { ModelChoice } from '@espalier/contracts/model-choice';
import { needsBase } from '@espalier/model/adapters';
import { isRunFolder, readRunSpec } from './recorded-run.js';
import type { PlannedRun } from './resolve-run.js';

/** Copies the adapter that a new run begins with into its folder, and lets the run begin with the copy. */
export function keepStartAdapter(planned: PlannedRun, runFolder: string): PlannedRun {
  const { spec, model } = planned;
  const { choice } = model;
  if (model.base === undefined || 'use' in choice || !('path' in choice)) return planned;
  const folder = join(runFolder, runLayout.start);
  const filter = (path: string): boolean => basename(path) !== 'optimizer.safetensors';
  cpSync(model.folder, folder, { recursive: true, filter });
  const kept = { ...choice, path: folder };
  return { ...planned, spec: { ...spec, model: kept }, model: { ...model, choice: kept, folder } };
}

/** The kept adapter with its base, in place of the model that the configuration of a resumed run names. */
export function findStartAdapter({ model }: RunSpec, runFolder: string): ModelChoice | undefined {
  if (!isRunFolder(runFolder)) return undefined;
  const recorded = readRunSpec(runFolder).model;
  if ('use' in model || !('path' in model) || 'use' in recorded || !('path' in recorded)) return undefined;
  const isWhole = existsSync(join(model.path, 'config.json')) && !needsBase(model.path);
  const kept = join(runFolder, runLayout.start);
  if (isWhole || !existsSync(kept)) return undefined;
  // the folder of the run may have been named in another way, or moved
  return resolve(recorded.path) === resolve(kept) ? recorded : { ...recorded, path: kept };
}
