/** @file Identifies the version of a plugin package by the contents of its folder. */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const ignored = new Set(['node_modules', '.git']);

/**
 * Hashes all files of a package with their paths, without node_modules, version control and build info. Workers compute
 * the same hash for what they run.
 *
 * @returns sha256 in hexadecimal
 */
export function hashPackage(folder: string): string {
  const hash = createHash('sha256');
  for (const path of filesIn(folder, '').sort())
    hash
      .update(`${path}\0`)
      .update(readFileSync(join(folder, path)))
      .update('\0');
  return hash.digest('hex');
}

/** Paths with forward slashes. */
function filesIn(folder: string, prefix: string): string[] {
  return readdirSync(join(folder, prefix), { withFileTypes: true })
    .filter(({ name }) => !ignored.has(name) && !name.endsWith('.tsbuildinfo'))
    .flatMap((entry) => {
      const path = prefix === '' ? entry.name : `${prefix}/${entry.name}`;
      if (entry.isDirectory()) return filesIn(folder, path);
      return entry.isFile() ? [path] : [];
    });
}
