/** @file One process per data folder: two would undo each other's work. */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { AppError, type ErrorCode } from '@espalier/contracts';
import { isLiving, type Living, startOf } from './living.js';

/**
 * Takes the lock of a folder, which is made when missing; gives the release. A lock whose process is gone is free.
 *
 * @param name what the lock file is called, `<name>.lock`, and what the message calls its owner
 * @param code error code when another process holds it
 */
export function createFolderLock(folder: string, name: string, code: ErrorCode): () => void {
  mkdirSync(folder, { recursive: true });
  const file = join(folder, `${name}.lock`);
  const own: Living = { pid: process.pid, started: startOf(process.pid) };
  for (let tries = 0; ; tries += 1) {
    try {
      writeFileSync(file, JSON.stringify(own), { flag: 'wx' });
      return () => rmSync(file, { force: true });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
    const owner = readOwner(file);
    if (tries > 2 || (owner !== undefined && isLiving(owner))) {
      throw new AppError(
        code,
        `start ${name}: "${folder}" is held by process ${owner?.pid ?? 'unknown'}; stop it, or give this ${name} another data folder`,
      );
    }
    rmSync(file, { force: true });
  }
}

function readOwner(file: string): Living | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Living;
  } catch {
    return undefined;
  }
}
