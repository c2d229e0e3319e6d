/**
 * @file Checkpoints as folders of files that a manifest lists, as far as a worker needs to know: it copies them, and
 * never opens what is inside. How they are written is in `libs/trainer`.
 */
import { copyFileSync, existsSync, linkSync, mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { AppError, isSafePath } from '@espalier/contracts';
import { resolveInside } from '@espalier/telemetry';
import { z } from 'zod';
import { hashOf } from '../server/artifact-store.js';

export const manifestName = 'manifest.json';

/** Path inside a checkpoint or run → length and hash. Whoever wrote the checkpoint chose the paths. */
const markedFiles = z.object({
  files: z.record(
    z.string().refine(isSafePath),
    z.object({ bytes: z.int().min(0), sha256: z.string().regex(/^[0-9a-f]{64}$/) }),
  ),
});
export type Marks = Readonly<z.infer<typeof markedFiles>['files']>;

/** Reads the files that a checkpoint lists; undefined when it is not whole. */
export function readManifest(folder: string): Marks | undefined {
  try {
    return markedFiles.parse(JSON.parse(readFileSync(join(folder, manifestName), 'utf8'))).files;
  } catch {
    return undefined;
  }
}

/**
 * Reads how far the logs of the run were written when a checkpoint was saved.
 *
 * @throws worker.transfer_refused
 */
export function readLogMarks(folder: string): Marks {
  try {
    return markedFiles.parse(JSON.parse(readFileSync(join(folder, 'logs.json'), 'utf8'))).files;
  } catch (cause) {
    throw new AppError(
      'worker.transfer_refused',
      `read the checkpoint "${basename(folder)}": its logs.json does not list length and sha256 of logs inside the run; resume from another`,
      { cause },
    );
  }
}

/** Lists the steps of the checkpoints of a run, newest first. */
export function listSteps(runFolder: string): number[] {
  const parent = join(runFolder, 'checkpoints');
  const names = existsSync(parent) ? readdirSync(parent) : [];
  return names
    .flatMap((name) => /^step-(\d+)$/.exec(name)?.[1] ?? [])
    .map(Number)
    .sort((a, b) => b - a);
}

/** Path of a checkpoint inside its run. */
export const checkpointPath = (step: number): string => `checkpoints/step-${String(step).padStart(6, '0')}`;

/** Tells whether a checkpoint equals its manifest. */
export async function isWhole(folder: string): Promise<boolean> {
  const files = readManifest(folder);
  if (files === undefined) return false;
  for (const [name, { bytes, sha256 }] of Object.entries(files)) {
    const path = findInside(folder, name);
    if (path === undefined || statSync(path).size !== bytes || (await hashOf(path)) !== sha256) return false;
  }
  return true;
}

function findInside(folder: string, name: string): string | undefined {
  try {
    const path = resolveInside(folder, name);
    return existsSync(path) ? path : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Gives the files of a checkpoint second names in another folder, so that they stay when the trainer deletes it.
 *
 * @returns what it lists; undefined when it is gone already
 */
export function keepCheckpoint(folder: string, target: string): Marks | undefined {
  const files = readManifest(folder);
  if (files === undefined) return undefined;
  try {
    for (const name of [...Object.keys(files), manifestName]) {
      mkdirSync(dirname(join(target, name)), { recursive: true });
      linkOrCopy(resolveInside(folder, name), join(target, name));
    }
    return files;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/** A second name costs nothing; a file system without them gets a copy. */
function linkOrCopy(from: string, to: string): void {
  try {
    linkSync(from, to);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') throw error;
    copyFileSync(from, to);
  }
}
