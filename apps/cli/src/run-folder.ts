/**
 * @file Which folder a run gets. A folder is never used twice, except to resume its own run.
 */
import { existsSync, mkdirSync, readdirSync, rmdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { AppError } from '@espalier/contracts';

export interface RunFolder {
  readonly path: string;
  /** made by this call, so it may be removed again when the run cannot start */
  readonly isNew: boolean;
}

const runsFolder = 'runs';

/** Folder names of a run's earlier starts: `name-1`, `name-2` …, by number. */
function earlierRuns(name: string): number[] {
  const pattern = new RegExp(`^${name}-(\\d+)$`);
  const names = existsSync(runsFolder) ? readdirSync(runsFolder) : [];
  return names
    .map((entry) => Number(pattern.exec(entry)?.[1] ?? Number.NaN))
    .filter((number) => !Number.isNaN(number))
    .sort((a, b) => a - b);
}

/**
 * Makes the folder of a new run: `out`, or `runs/<name>-<n>` with the next free number.
 *
 * @throws cli.run_exists when `out` is not empty
 */
export function createRunFolder(name: string, out: string | undefined): RunFolder {
  if (out !== undefined) {
    if (existsSync(out) && readdirSync(out).length > 0) {
      throw new AppError(
        'cli.run_exists',
        `start a run in ${out}: the folder is not empty; choose another, or go on with --resume`,
      );
    }
    const isNew = !existsSync(out);
    mkdirSync(out, { recursive: true });
    return { path: out, isNew };
  }
  mkdirSync(runsFolder, { recursive: true });
  for (let number = (earlierRuns(name).at(-1) ?? 0) + 1; ; number++) {
    const path = join(runsFolder, `${name}-${number}`);
    try {
      mkdirSync(path);
      return { path, isNew: true };
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
  }
}

/**
 * Finds the run to go on with: `out`, or the newest `runs/<name>-<n>`.
 *
 * @throws cli.run_not_found
 */
export function findRunFolder(name: string, out: string | undefined): RunFolder {
  const newest = earlierRuns(name).at(-1);
  const path = out ?? (newest === undefined ? undefined : join(runsFolder, `${name}-${newest}`));
  if (path === undefined || !existsSync(join(path, 'spec.json'))) {
    const where = path ?? `${runsFolder}/${name}-…`;
    throw new AppError(
      'cli.run_not_found',
      `resume ${where}: no run lies there; name its folder with --out, or start it without --resume`,
    );
  }
  return { path, isNew: false };
}

/** Takes back a folder whose run could not start; one that was there before stays. */
export function removeRunFolder({ path, isNew }: RunFolder): void {
  if (!isNew) return;
  rmSync(path, { recursive: true, force: true });
  if (existsSync(runsFolder) && readdirSync(runsFolder).length === 0) rmdirSync(runsFolder);
}
