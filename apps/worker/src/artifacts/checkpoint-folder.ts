/**
 * @file Checkpoints as folders of files that a manifest lists. A worker copies these files and never reads their content.
 * `libs/trainer` writes them.
 */
import { copyFileSync, existsSync, linkSync, mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { AppError, isSafePath, runLayout } from '@espalier/contracts';
import { resolveInside } from '@espalier/files';
import { z } from 'zod';
import { hashOf } from './artifact-store.js';

/** Path inside a checkpoint or run → length and hash. The paths are untrusted. */
const digestsSchema = z.object({
  files: z.record(
    z.string().refine(isSafePath),
    z.object({ bytes: z.int().min(0), sha256: z.string().regex(/^[0-9a-f]{64}$/) }),
  ),
});
export type FileDigests = Readonly<z.infer<typeof digestsSchema>['files']>;

/** Reads the manifest of a checkpoint; undefined when it is missing or invalid. */
export function readManifest(folder: string): FileDigests | undefined {
  try {
    return digestsSchema.parse(JSON.parse(readFileSync(join(folder, runLayout.manifest), 'utf8'))).files;
  } catch {
    return undefined;
  }
}

/**
 * Reads the length and hash of each log of the run at the time of a checkpoint.
 *
 * @throws worker.transfer_refused
 */
export function readLogDigests(folder: string): FileDigests {
  try {
    return digestsSchema.parse(JSON.parse(readFileSync(join(folder, runLayout.checkpointLogs), 'utf8')))
      .files;
  } catch (cause) {
    throw new AppError(
      'worker.transfer_refused',
      `read the checkpoint "${basename(folder)}": its ${runLayout.checkpointLogs} does not list length and sha256 of logs inside the run; resume from another checkpoint`,
      { cause },
    );
  }
}

/** Lists the steps of the checkpoints of a run, newest first. */
export function listSteps(runFolder: string): number[] {
  const parent = join(runFolder, runLayout.checkpoints);
  const names = existsSync(parent) ? readdirSync(parent) : [];
  return names
    .filter((name) => /^step-\d+$/.test(name))
    .flatMap((name) => runLayout.stepOf(name) ?? [])
    .sort((a, b) => b - a);
}

/** Tells whether a checkpoint matches its manifest. */
export async function isIntact(folder: string): Promise<boolean> {
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
 * Links the files of a checkpoint into another folder, so that they stay when the trainer deletes the checkpoint.
 *
 * @returns its manifest; undefined when it has already been deleted
 */
export function linkCheckpoint(folder: string, target: string): FileDigests | undefined {
  const files = readManifest(folder);
  if (files === undefined) return undefined;
  try {
    for (const name of [...Object.keys(files), runLayout.manifest]) {
      mkdirSync(dirname(join(target, name)), { recursive: true });
      linkOrCopy(resolveInside(folder, name), join(target, name));
    }
    return files;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/** Creates a hard link, or a copy on a file system without hard links. */
function linkOrCopy(from: string, to: string): void {
  try {
    linkSync(from, to);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') throw error;
    copyFileSync(from, to);
  }
}
