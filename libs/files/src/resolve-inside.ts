/** @file Resolves untrusted paths inside a folder. */
import { lstatSync, realpathSync } from 'node:fs';
import { join, sep } from 'node:path';
import { AppError, isSafePath, safePathRule } from '@espalier/contracts';

/**
 * Resolves a path inside a folder. Links are followed as long as they stay inside; a dangling link is rejected too,
 * because writing to it would create a file elsewhere. The path need not exist.
 *
 * @throws contracts.unsafe_path; the message names the path, never the folder
 */
export function resolveInside(folder: string, path: string): string {
  if (!isSafePath(path)) throw unsafePath(path, `it is not a safe relative path; ${safePathRule}`);
  let place = folder;
  for (const name of path.split('/')) {
    place = join(place, name);
    const found = lstatSync(place, { throwIfNoEntry: false });
    if (found === undefined) break;
    if (found.isSymbolicLink() && !isInside(folder, place))
      throw unsafePath(
        path,
        'it contains a link that leads out of the folder; replace the link with its target',
      );
  }
  return join(folder, path);
}

/** Whether a path, after following links, is the folder or inside it. */
export function isInside(folder: string, path: string): boolean {
  try {
    const root = realpathSync(folder);
    const real = realpathSync(path);
    return real === root || real.startsWith(root.endsWith(sep) ? root : root + sep);
  } catch {
    return false;
  }
}

function unsafePath(path: string, finding: string): AppError {
  return new AppError(
    'contracts.unsafe_path',
    `use the path ${JSON.stringify(path.slice(0, 200))}: ${finding}`,
  );
}
