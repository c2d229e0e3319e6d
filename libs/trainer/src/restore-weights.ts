/**
 * @file Puts the weights and moments of a checkpoint into the models of a run. A checkpoint that equals its manifest
 * can still hold files no engine can load; it is broken like any other, and the next newest whole one is used.
 */
import { join } from 'node:path';
import { type CriticModel, isAppError, type PolicyModel, type RunSpec } from '@espalier/contracts';
import { findStart, resolveStart, type StartPoint } from './resume.js';

export interface RestoredModels {
  readonly policy: PolicyModel;
  readonly critic: CriticModel | undefined;
}

/**
 * Loads the checkpoint that a run goes on from, and where that fails an older one.
 *
 * @param begun where the run began as far as descriptions tell
 * @returns where it begins now, with a warning for each checkpoint that could not be loaded
 * @throws trainer.broken_checkpoint when none can be loaded; what resolveStart throws
 */
export async function restoreWeights(
  folder: string,
  spec: RunSpec,
  begun: StartPoint,
  models: RestoredModels,
): Promise<StartPoint> {
  const unusable = new Map<string, string>();
  for (let { checkpoint } = begun; checkpoint !== undefined; { checkpoint } = findStart(folder, unusable)) {
    const finding = await loadFrom(checkpoint.folder, models);
    if (finding === undefined) break;
    unusable.set(checkpoint.folder, finding);
  }
  if (unusable.size === 0) return begun;
  const point = resolveStart(folder, spec, true, unusable);
  return { ...point, warnings: [...begun.warnings, ...point.warnings] };
}

/** What keeps a checkpoint's models from being loaded, if anything does. */
async function loadFrom(folder: string, { policy, critic }: RestoredModels): Promise<string | undefined> {
  try {
    await policy.load(join(folder, 'policy'), { optimizer: true });
    await critic?.load(join(folder, 'critic'), { optimizer: true });
    return undefined;
  } catch (error) {
    if (isAppError(error) && error.code.startsWith('model.')) return error.message;
    throw error;
  }
}
