/** @file Folders that a person has named, made with all above them, or refused with a reason and what to do. */
import { existsSync, mkdirSync, readdirSync, rmdirSync, type Stats, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { AppError } from '@espalier/contracts';

const obstacles: Readonly<Record<string, string>> = {
  ENOTDIR: 'something above it is a file',
  EEXIST: 'it is a file',
  EACCES: 'this user may not write there',
  EPERM: 'this user may not write there',
  EROFS: 'nothing can be written there',
  ENOENT: 'no folder can be made there',
  ELOOP: 'its symbolic links lead in a circle',
  ENAMETOOLONG: 'its name is too long',
  ENOSPC: 'the disk is full',
};

/**
 * Makes a folder and those above it, as far as they are missing.
 *
 * @param attempt what it is for, such as `start server`
 * @throws cli.unusable_folder
 */
export function createFolder(folder: string, attempt: string): void {
  try {
    createMissingFolders(folder);
  } catch (cause) {
    throw unusableFolder(folder, attempt, cause);
  }
}

/** Says that a folder cannot be used. */
export function unusableFolder(folder: string, attempt: string, cause: unknown): AppError {
  return new AppError(
    'cli.unusable_folder',
    `${attempt}: the folder "${folder}" cannot be made or written: ${describeObstacle(cause)}; name another one (--data, setting \`data\`)`,
    { cause },
  );
}

/** Says why a folder cannot be made. */
export function describeObstacle(cause: unknown): string {
  const { code = '', message } = cause as NodeJS.ErrnoException;
  return obstacles[code] ?? message;
}

/**
 * Makes a folder and those above it, one by one: Node's own recursion never ends where the system says of a folder that
 * is there that it is not, as below /proc.
 *
 * @returns the folders that were missing, the topmost first
 * @throws the error of the system
 */
export function createMissingFolders(folder: string): string[] {
  const missing: string[] = [];
  let nearest = resolve(folder);
  let found = findEntry(nearest);
  for (; found === undefined && dirname(nearest) !== nearest; found = findEntry(nearest)) {
    missing.unshift(nearest);
    nearest = dirname(nearest);
  }
  if (found?.isDirectory() !== true)
    throw Object.assign(new Error(`"${nearest}" is not a folder`), {
      code: missing.length === 0 ? 'EEXIST' : 'ENOTDIR',
    });
  return missing.filter(createOne);
}

/**
 * Creates a folder with its parents.
 *
 * @returns removes the folders that this call created, innermost first, as long as they are empty
 */
export function createRemovableFolder(path: string): () => void {
  const [made] = createMissingFolders(path);
  return () => {
    if (made === undefined) return;
    for (let folder = resolve(path); folder.length >= resolve(made).length; folder = dirname(folder)) {
      if (!existsSync(folder)) continue;
      if (readdirSync(folder).length > 0) return;
      rmdirSync(folder);
    }
  };
}

/** Some versions of Node report a path below a file as missing, others as an error. */
function findEntry(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOTDIR') return undefined;
    throw error;
  }
}

/** Tells whether this call made the folder; another process may have been quicker. */
function createOne(folder: string): boolean {
  try {
    mkdirSync(folder);
    return true;
  } catch (error) {
    if (findEntry(folder)?.isDirectory() !== true) throw error;
    return false;
  }
}
