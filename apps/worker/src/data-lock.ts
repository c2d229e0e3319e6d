/** @file One worker per data folder: two would take up the same attempts. */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { AppError } from '@espalier/contracts';
import { isLiving, type Living, startOf } from './launch/living.js';

/**
 * Takes the lock of a data folder, which is made when missing; gives the release.
 *
 * @throws worker.data_in_use
 */
export function createDataLock(folder: string): () => void {
  mkdirSync(folder, { recursive: true });
  const file = join(folder, 'worker.lock');
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
        'worker.data_in_use',
        `start worker: "${folder}" is held by process ${owner?.pid ?? 'unknown'}; stop it, or give this worker another data folder`,
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
