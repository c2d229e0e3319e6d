/** @file One process per data folder, or per file: two would undo each other's work. */
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { AppError, type ErrorCode, isAppError } from '@espalier/contracts';
import { createFolder, unusableFolder } from './create-folder.js';
import { isAlive, type ProcessIdentity, startOf } from './process-identity.js';

/**
 * Takes the lock of a folder, which is made when missing; gives the release. A lock whose process is gone is free.
 *
 * @param name what the lock file is called, `<name>.lock`, and what the message calls its owner
 * @param code error code when another process holds it
 * @throws that code, or cli.unusable_folder
 */
export function createFolderLock(folder: string, name: string, code: ErrorCode): () => void {
  createFolder(folder, `start ${name}`);
  try {
    return createLock(
      join(folder, `${name}.lock`),
      (holder) =>
        new AppError(
          code,
          `start ${name}: "${folder}" is held by process ${holder}; stop it, or give this ${name} another data folder`,
        ),
    );
  } catch (error) {
    throw isAppError(error) ? error : unusableFolder(folder, `start ${name}`, error);
  }
}

/**
 * Takes a lock file, in a folder that exists; gives the release. A lock whose process is gone is free.
 *
 * @param refusal makes the error of somebody else's holding it
 */
export function createLock(file: string, refusal: (holder: number | 'unknown') => AppError): () => void {
  const own: ProcessIdentity = { pid: process.pid, started: startOf(process.pid) };
  for (let tries = 0; ; tries += 1) {
    try {
      writeFileSync(file, JSON.stringify(own), { flag: 'wx' });
      return () => rmSync(file, { force: true });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
    const owner = readOwner(file);
    if (tries > 2 || (owner !== undefined && isAlive(owner))) throw refusal(owner?.pid ?? 'unknown');
    rmSync(file, { force: true });
  }
}

function readOwner(file: string): ProcessIdentity | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as ProcessIdentity;
  } catch {
    return undefined;
  }
}
