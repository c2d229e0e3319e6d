/** @file Tells one state of a plugin package from another, by what lies in its folder. */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const passedOver = new Set(['node_modules', '.git']);

/**
 * Hashes all files of a package with their paths; what is installed inside, version control and traces of builds are
 * left out. Workers compute the same of what they run.
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
    .filter(({ name }) => !passedOver.has(name) && !name.endsWith('.tsbuildinfo'))
    .flatMap((entry) => {
      const path = prefix === '' ? entry.name : `${prefix}/${entry.name}`;
      if (entry.isDirectory()) return filesIn(folder, path);
      return entry.isFile() ? [path] : [];
    });
}
