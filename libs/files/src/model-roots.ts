/** @file Which folders of models a server or worker may open: those below the roots that its operator has listed. */
import { lstatSync, readdirSync } from 'node:fs';
import { isAbsolute, join, resolve, sep } from 'node:path';
import { isInside } from './resolve-inside.js';

export interface ModelRoots {
  /** folders that hold models */
  readonly roots: readonly string[];
  /** folders that never count, as what projects have stored lies there */
  readonly excluded: readonly string[];
}

/**
 * Tells whether a path may be opened as a model. What lies outside the roots is refused without a look at the disk, so
 * that a refusal says nothing about what exists. A link below a root may lead to the same root only.
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

/** What does not exist stays: that is told apart later. */
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

/** The nearest folder that exists decides: a link on the way may lead out of the root. */
function isMissingInside(path: string, root: string): boolean {
  for (let parent = resolve(path, '..'); isNamedBelow(parent, root); parent = resolve(parent, '..'))
    if (lstatSync(parent, { throwIfNoEntry: false }) !== undefined) return isInside(root, parent);
  return true;
}
