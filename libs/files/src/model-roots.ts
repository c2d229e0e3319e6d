/** @file An allow-list of model folders: a server or worker opens only models under the roots that its operator lists. */
import { lstatSync, readdirSync } from 'node:fs';
import { isAbsolute, join, resolve, sep } from 'node:path';
import { isInside } from './resolve-inside.js';

export interface ModelRoots {
  /** folders that contain models */
  readonly roots: readonly string[];
  /** folders that are never allowed, because projects store files there */
  readonly excluded: readonly string[];
}

/**
 * Whether a path may be opened as a model. A path outside the roots is rejected without touching the disk, so that the
 * answer does not reveal what exists. A link under a root must lead to the same root.
 */
export function isBelowModelRoot(path: string, { roots, excluded }: ModelRoots): boolean {
  if (!isAbsolute(path)) return false;
  const folder = resolve(path);
  if (excluded.some((one) => isNamedBelow(folder, resolve(one)))) return false;
  return roots
    .map((root) => resolve(root))
    .some((root) => isNamedBelow(folder, root) && staysIn(folder, root, excluded));
}

const isNamedBelow = (path: string, root: string): boolean =>
  path === root || path.startsWith(root.endsWith(sep) ? root : root + sep);

/** A missing path is allowed here: opening it reports it. */
function staysIn(path: string, root: string, excluded: readonly string[]): boolean {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found === undefined) return isMissingInside(path, root);
  if (!isInside(root, path) || excluded.some((one) => isInside(one, path))) return false;
  if (!found.isDirectory() && !found.isSymbolicLink()) return true;
  try {
    return readdirSync(path, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isSymbolicLink())
      .map((entry) => join(entry.parentPath, entry.name))
      .every((link) => isInside(root, link) && !excluded.some((one) => isInside(one, link)));
  } catch {
    return false;
  }
}

/** Checks the nearest existing parent: a link on the way may lead out of the root. */
function isMissingInside(path: string, root: string): boolean {
  for (let parent = resolve(path, '..'); isNamedBelow(parent, root); parent = resolve(parent, '..'))
    if (lstatSync(parent, { throwIfNoEntry: false }) !== undefined) return isInside(root, parent);
  return true;
}
