/** @file Creates folders that a user named, with their parents, or says why that fails and what to do. */
import { existsSync, mkdirSync, readdirSync, rmdirSync, type Stats, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { AppError } from '@espalier/contracts';

const obstacles: Readonly<Record<string, string>> = {
  ENOTDIR: 'a parent is a file',
  EEXIST: 'it is a file',
  EACCES: 'this user has no permission to write there',
  EPERM: 'this user has no permission to write there',
  EROFS: 'the file system is read-only',
  ENOENT: 'folders cannot be created there',
  ELOOP: 'its symbolic links form a loop',
  ENAMETOOLONG: 'its name is too long',
  ENOSPC: 'the disk is full',
};

/** How the data folder of a server or worker is named. */
export const dataRemedy = 'name another one (--data, setting `data`)';

/**
 * Creates a folder and its missing parents.
 *
 * @param operation the purpose, such as `start server`
 * @param remedy    how to name another folder, or what to do instead
 * @throws cli.unusable_folder
 */
export function createFolder(folder: string, operation: string, remedy?: string): void {
  try {
    createMissingFolders(folder);
  } catch (cause) {
    throw unusableFolder(folder, operation, cause, remedy);
  }
}

/** The error of a folder that cannot be used. */
export function unusableFolder(
  folder: string,
  operation: string,
  cause: unknown,
  remedy = 'name another one',
): AppError {
  return new AppError(
    'cli.unusable_folder',
    `${operation}: the folder "${folder}" cannot be created or written: ${describeObstacle(cause)}; ${remedy}`,
    { cause },
  );
}

/** Describes why a folder cannot be created. */
export function describeObstacle(cause: unknown): string {
  const { code = '', message } = cause as NodeJS.ErrnoException;
  return obstacles[code] ?? message;
}

/**
 * Creates a folder and its parents one by one: Node's recursive mkdir never returns where the system reports an existing
 * folder as missing, as under /proc.
 *
 * @returns the folders that were missing, outermost first
 * @throws the system error
 */
function createMissingFolders(folder: string): string[] {
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
  return missing.filter(createIfMissing);
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

/** Whether this call created the folder; another process may have been faster. */
function createIfMissing(folder: string): boolean {
  try {
    mkdirSync(folder);
    return true;
  } catch (error) {
    if (findEntry(folder)?.isDirectory() !== true) throw error;
    return false;
  }
}
