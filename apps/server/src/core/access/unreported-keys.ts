/**
 * @file The first keys until they are reported: stored in the data folder, readable by its owner only, before they
 * enter the database. So a start that fails in between loses no keys.
 */
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Secrets of keys that were just made by themselves; they are shown once. */
export interface FirstKeys {
  readonly admin?: string;
  readonly worker?: string;
}

const fileOf = (folder: string): string => join(folder, 'first-keys.json');

/** Keeps secrets until `deleteUnreported`; on the disk when this returns. */
export function saveUnreported(folder: string, keys: FirstKeys): void {
  writeFileSync(fileOf(folder), `${JSON.stringify(keys)}\n`, { mode: 0o600, flush: true });
}

/** Reads secrets that were made and never told; null when there are none, or the file was cut off. */
export function readUnreported(folder: string): FirstKeys | null {
  try {
    const { admin, worker } = JSON.parse(readFileSync(fileOf(folder), 'utf8')) as Record<string, unknown>;
    return {
      ...(typeof admin === 'string' && { admin }),
      ...(typeof worker === 'string' && { worker }),
    };
  } catch {
    return null;
  }
}

/** Somebody knows the keys now. */
export function deleteUnreported(folder: string): void {
  rmSync(fileOf(folder), { force: true });
}
