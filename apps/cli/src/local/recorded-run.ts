/**
 * @file A run as recorded in its folder: spec, steps with trajectories, tokenizer. Reads only; a run may be under way.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type ConfigInput, forgetDerived, leaves } from '@espalier/config';
import { AppError, runLayout, type RunSpec, type Tokenizer } from '@espalier/contracts';
import { listTrajectorySteps } from '@espalier/recorder';
import { listDamagedRunFiles } from '@espalier/trainer/attempts';
import { listCheckpoints, specFile } from '@espalier/trainer/run-folder';
import type { Console } from '../console.js';
import type { Registry } from '../workspace.js';

/** Tells whether a folder holds a run. */
export function isRunFolder(folder: string): boolean {
  return existsSync(specFile(folder));
}

/** Reads the resolved spec of a run. @throws cli.run_not_found, trainer.corrupt_run */
export function readRunSpec(folder: string): RunSpec {
  if (!isRunFolder(folder)) {
    throw new AppError(
      'cli.run_not_found',
      `open run ${folder}: there is no ${runLayout.spec}; name the folder of a run, e.g. runs/bandit-starpo-s-1`,
    );
  }
  try {
    const spec = parseSpec(folder);
    if (spec !== undefined) return spec;
  } catch (cause) {
    throw corruptSpec(folder, 'not JSON', cause);
  }
  throw corruptSpec(folder, 'not the spec of a run');
}

/**
 * The spec that a resumed run began with: of its folder, or the copy of its newest checkpoint where that is damaged, as
 * resuming repairs it from there.
 *
 * @returns undefined when the folder holds no run, or no copy can be read
 */
export function findRecordedSpec(folder: string): RunSpec | undefined {
  if (!isRunFolder(folder)) return undefined;
  const isDamaged = listDamagedRunFiles(folder).some(({ name }) => name === runLayout.spec);
  for (const holder of [...(isDamaged ? [] : [folder]), ...listCheckpoints(folder)]) {
    try {
      const spec = parseSpec(holder);
      if (spec !== undefined) return spec;
    } catch {
      // the next older copy
    }
  }
  return undefined;
}

/** Reads `spec.json` of a folder; undefined when it is not the spec of a run. @throws SyntaxError, or what the system refuses */
function parseSpec(folder: string): RunSpec | undefined {
  const spec = JSON.parse(readFileSync(specFile(folder), 'utf8')) as Partial<RunSpec> | null;
  const environment = spec?.environment?.use ?? spec?.environments;
  const isWhole = [environment, spec?.algorithm?.use, spec?.model, spec?.update].every(
    (part) => part !== undefined && part !== null,
  );
  return isWhole ? (spec as RunSpec) : undefined;
}

const corruptSpec = (folder: string, finding: string, cause?: unknown): AppError =>
  new AppError(
    'trainer.corrupt_run',
    `read "${specFile(folder)}": ${finding}; restore it, every checkpoint of the run holds a copy`,
    { cause },
  );

/** Folder of a run's trajectories. */
export const trajectoriesFolder = (folder: string): string => join(folder, runLayout.trajectories);

/**
 * Finds the step to read: `wanted`, or the newest with trajectories.
 *
 * @throws cli.run_not_found when the run has none, or not that one
 */
export function findRecordedStep(folder: string, wanted: number | undefined): number {
  const steps = listTrajectorySteps(trajectoriesFolder(folder));
  const newest = steps.at(-1);
  if (newest === undefined)
    throw new AppError(
      'cli.run_not_found',
      `show ${folder}: it has no trajectories yet; let it train a step`,
    );
  if (wanted === undefined || steps.includes(wanted)) return wanted ?? newest;
  throw new AppError(
    'cli.run_not_found',
    `show step ${wanted} of ${folder}: no trajectories of that step; there are ${steps[0]}..${newest}`,
  );
}

/** Loads the tokenizer of a run: that of a checkpoint, else of the model it began with; undefined when both are gone. */
export async function findRunTokenizer(
  folder: string,
  spec: RunSpec,
  registry: Registry,
  console: Console,
): Promise<Tokenizer | undefined> {
  // most commands for runs read no text of tokens
  const { loadTokenizer } = await import('@espalier/model');
  for (const checkpoint of listCheckpoints(folder)) {
    const policy = join(checkpoint, 'policy');
    if (existsSync(join(policy, 'tokenizer.json'))) return loadTokenizer(policy);
  }
  try {
    const { openModel } = await import('./open-model.js');
    return loadTokenizer((await openModel(spec.model, registry, console)).folder);
  } catch {
    return undefined; // the caller reports that the text of tokens is omitted
  }
}

/** Gives the resolved spec of a run in the form of a configuration, to which changes apply as to the written one. @throws cli.run_not_found, trainer.corrupt_run */
export function configOfRun(folder: string): ConfigInput {
  const value = forgetDerived({ ...readRunSpec(folder) });
  const origins = new Map(leaves(value).map(([path]) => [path, 'file' as const]));
  return { file: specFile(folder), value, origins, positions: new Map() };
}
