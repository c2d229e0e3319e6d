/**
 * @file Which folder a run gets. A folder is never used twice, except to resume its own run.
 */
import { accessSync, constants, existsSync, mkdirSync, readdirSync, rmSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { AppError, runLayout } from '@espalier/contracts';
import { createRemovableFolder, describeObstacle } from '@espalier/files';

export interface RunFolder {
  readonly path: string;
  /** Takes back a folder whose run could not start, with the parents made for it; one that was there stays. */
  remove(): void;
}

export const runsFolder = 'runs';

/** Folder names of a run's earlier starts: `name-1`, `name-2` …, by number. */
function earlierRuns(name: string): number[] {
  // built from -- the name of a run, which the config holds to letters, digits and hyphens
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
 * @throws cli.run_exists when `out` is not empty; cli.unusable_folder when it cannot be made or written
 */
export function createRunFolder(name: string, out: string | undefined): RunFolder {
  requireUsable(out ?? runsFolder);
  try {
    return out === undefined ? createNumbered(name) : createNamed(out);
  } catch (cause) {
    if (cause instanceof AppError) throw cause;
    throw unusable(out ?? runsFolder, describeObstacle(cause), cause);
  }
}

function createNamed(out: string): RunFolder {
  if (!existsSync(out)) return folderAt(out, createRemovableFolder(out));
  if (readdirSync(out).length === 0) return { path: out, remove: () => removeStart(out) };
  throw new AppError(
    'cli.run_exists',
    `start a run in ${out}: the folder is not empty; choose another, or resume with --resume`,
  );
}

/** Another process may have begun a run in the folder meanwhile. */
function removeStart(path: string): void {
  const isUsed = [runLayout.spec, runLayout.lock].some((name) => existsSync(join(path, name)));
  if (!isUsed) rmSync(join(path, runLayout.start), { recursive: true, force: true });
}

function createNumbered(name: string): RunFolder {
  const removeRuns = createRemovableFolder(runsFolder);
  for (let number = (earlierRuns(name).at(-1) ?? 0) + 1; ; number++) {
    const path = join(runsFolder, `${name}-${number}`);
    try {
      mkdirSync(path);
      return folderAt(path, removeRuns);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
  }
}

function folderAt(path: string, removeEmpty: () => void): RunFolder {
  return {
    path,
    remove() {
      rmSync(path, { recursive: true, force: true });
      removeEmpty();
    },
  };
}

/**
 * Makes sure that results can be written to a folder, which need not exist yet; makes nothing.
 *
 * @throws cli.unusable_folder when a file stands in the way or permission is missing
 */
export function requireUsable(path: string): void {
  let nearest = resolve(path);
  while (!existsSync(nearest) && dirname(nearest) !== nearest) nearest = dirname(nearest);
  if (!statSync(nearest).isDirectory()) throw unusable(path, `${nearest} is a file`);
  try {
    accessSync(nearest, constants.W_OK | constants.X_OK);
  } catch (cause) {
    throw unusable(path, `no permission to write in ${nearest}`, cause);
  }
}

function unusable(path: string, finding: string, cause?: unknown): AppError {
  return new AppError(
    'cli.unusable_folder',
    `write to ${path}: ${finding}; choose another folder with --out`,
    {
      details: { path },
      cause,
    },
  );
}

/**
 * Finds the run to resume: `out`, or the newest `runs/<name>-<n>`.
 *
 * @throws cli.run_not_found, cli.unusable_folder
 */
export function findRunFolder(name: string, out: string | undefined): RunFolder {
  const newest = earlierRuns(name).at(-1);
  const path = out ?? (newest === undefined ? undefined : join(runsFolder, `${name}-${newest}`));
  // a process killed while it began leaves only its lock
  const hasRun =
    path !== undefined && [runLayout.spec, runLayout.lock].some((name) => existsSync(join(path, name)));
  if (path === undefined || !hasRun) {
    const where = path ?? `${runsFolder}/${name}-…`;
    throw new AppError(
      'cli.run_not_found',
      `resume ${where}: there is no run; name its folder with --out, or start it without --resume`,
    );
  }
  requireUsable(path);
  return { path, remove: () => undefined };
}
