/** @file Folders that a person has named, made with all above them, or refused with a reason and what to do. */
import { mkdirSync, statSync } from 'node:fs';
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
 * Makes a folder and those above it, as far as they are missing. One by one: Node's own recursion never ends where the
 * system says of a folder that is there that it is not, as below /proc.
 *
 * @param attempt what it is for, such as `start server`
 * @throws cli.unusable_folder
 */
export function createFolder(folder: string, attempt: string): void {
  try {
    createMissing(resolve(folder));
  } catch (cause) {
    throw unusableFolder(folder, attempt, cause);
  }
}

/** Says that a folder cannot be used. */
export function unusableFolder(folder: string, attempt: string, cause: unknown): AppError {
  const { code = '', message } = cause as NodeJS.ErrnoException;
  const finding = obstacles[code] ?? message;
  return new AppError(
    'cli.unusable_folder',
    `${attempt}: the folder "${folder}" cannot be made or written: ${finding}; name another one (--data, setting \`data\`)`,
    { cause },
  );
}

function createMissing(folder: string): void {
  const found = statSync(folder, { throwIfNoEntry: false });
  if (found?.isDirectory() === true) return;
  const above = dirname(folder);
  if (found === undefined && above !== folder) createMissing(above);
  try {
    mkdirSync(folder);
  } catch (error) {
    // another process was quicker
    if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true) throw error;
  }
}
