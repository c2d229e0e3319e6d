/** @file Which files of a folder have changed since one last looked. */
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** What an author does not write. */
const ignored = new Set(['node_modules', 'dist', '.git']);

/** Watches a folder by looking; works on every file system. @returns paths that are new, gone or changed since the last call */
export function createFolderChanges(folder: string): () => string[] {
  let before = listStamps(folder);
  return () => {
    const now = listStamps(folder);
    const paths = new Set([...before.keys(), ...now.keys()]);
    const changed = [...paths].filter((path) => before.get(path) !== now.get(path));
    before = now;
    return changed;
  };
}

function listStamps(folder: string): Map<string, string> {
  const stamps = new Map<string, string>();
  const visit = (path: string): void => {
    for (const entry of readdirSync(path, { withFileTypes: true })) {
      if (ignored.has(entry.name)) continue;
      const inside = join(path, entry.name);
      if (entry.isDirectory()) visit(inside);
      // a file that an editor removes meanwhile
      else {
        const found = statSync(inside, { throwIfNoEntry: false });
        if (found !== undefined) stamps.set(inside, `${found.mtimeMs} ${found.size} ${found.ino}`);
      }
    }
  };
  visit(folder);
  return stamps;
}
