/** @file The checkpoint that `train --fork` continues from, and what it begins with: its spec and its model. */
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { ConfigInput } from '@espalier/config';
import { AppError, runLayout, type RunSpec } from '@espalier/contracts';
import { isHubModel, type ModelChoice } from '@espalier/contracts/model-choice';
import { loadNewestCheckpoint } from '@espalier/trainer';
import { describeMissing } from './named-model.js';
import { configOfRun, readRunSpec } from './recorded-run.js';
import type { PinnedParts } from './resolve-run.js';

export interface ForkPoint {
  /** folder of the checkpoint */
  readonly folder: string;
  /** what it was saved with */
  readonly spec: RunSpec;
}

/**
 * Finds a checkpoint: `<run folder>`, the newest that is whole, `<run folder>@<step>`, or the folder of one.
 *
 * @throws cli.run_not_found, trainer.corrupt_run
 */
export function findForkPoint(from: string): ForkPoint {
  const folder = resolve(findFolder(from));
  return { folder, spec: readRunSpec(folder) };
}

function findFolder(from: string): string {
  if (existsSync(join(from, runLayout.manifest))) return from;
  const [, run = from, step] = /^(.+)@(\d+)$/.exec(from) ?? [];
  const refuse = (finding: string): AppError =>
    new AppError(
      'cli.run_not_found',
      `fork ${from}: ${finding}; name a run folder (runs/bandit-1), one at a step (runs/bandit-1@20) or a checkpoint`,
    );
  if (step !== undefined) {
    const at = join(run, runLayout.checkpoint(Number(step)));
    if (existsSync(join(at, runLayout.manifest))) return at;
    throw refuse(describeMissing(run, Number(step)));
  }
  const { checkpoint } = loadNewestCheckpoint(run);
  if (checkpoint === undefined) throw refuse('there is no whole checkpoint in it');
  return checkpoint.folder;
}

/** The configuration of a fork that names none: that of its parent. */
export const configOfFork = ({ folder }: ForkPoint): ConfigInput => configOfRun(folder);

/** The commit of a hub and the micro-batches that the parent had, so that the fork computes the same. */
export function pinToParent({ spec: parent }: ForkPoint): (spec: RunSpec) => PinnedParts {
  return (spec) => ({
    model: pinModel(parent.model, spec.model),
    microBatchTokens: parent.update.microBatchTokens,
  });
}

const pinModel = (before: ModelChoice, now: ModelChoice): ModelChoice | undefined =>
  isHubModel(before) && isHubModel(now) && before.hub === now.hub ? before : undefined;
