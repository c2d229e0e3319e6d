/**
 * @file A path that is new: what is to stand there grows under a temporary name on the same disk, and takes its name when it is
 * whole. What a killed process left under such a name is removed by the next one.
 */
import { existsSync, lstatSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { hostname } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { AppError } from '@espalier/contracts';
import { createRemovableFolder, describeObstacle, freeBytesAt, isAlive, syncPath } from '@espalier/files';

/** A temporary path. */
export interface Stage {
  /** where to write; does not exist yet */
  readonly partial: string;
  /** bytes that are free on its disk */
  freeBytes(): number;
  /** Gives what was written its name. */
  publish(): void;
  /** Removes what was written and not published, and folders that were made for it. */
  dispose(): void;
}

/**
 * Opens a temporary path for a new file or folder, with its parents. A folder that exists keeps its identity, as it may be a
 * mount point: the files of the new one are moved into it.
 *
 * @param path of a file or folder that {@link requireNew} or {@link requireNewFile} has passed
 */
export function openStage(path: string): Stage {
  const target = resolve(path);
  const isInside = existsSync(target);
  const parent = isInside ? target : dirname(target);
  const removeParents = createParents(path, parent);
  const name = isInside ? 'model' : basename(target);
  for (const old of findPartials(parent, name).filter(isAbandoned))
    rmSync(join(parent, old.name), { recursive: true });
  const partial = join(parent, `.${name}.${host}.${process.pid}.partial`);
  const remove = (): void => rmSync(partial, { recursive: true, force: true });
  // a second Ctrl-C ends the process at once
  process.once('exit', remove);
  return {
    partial,
    freeBytes: () => freeBytesAt(parent),
    publish() {
      if (isInside) moveInto(partial, target);
      else renameSync(partial, target);
      if (process.platform !== 'win32') syncPath(parent);
    },
    dispose() {
      process.off('exit', remove);
      remove();
      removeParents();
    },
  };
}

function createParents(path: string, parent: string): () => void {
  try {
    return createRemovableFolder(parent);
  } catch (cause) {
    throw writeFailed(path, cause);
  }
}

/** A folder without config.json is no model, and one without adapter_config.json no adapter, so that goes last. */
function moveInto(partial: string, target: string): void {
  const isLast = (name: string): number => Number(/^(?:adapter_)?config\.json$/.test(name));
  const names = readdirSync(partial).sort((a, b) => isLast(a) - isLast(b));
  const moved: string[] = [];
  try {
    for (const name of names) {
      renameSync(join(partial, name), join(target, name));
      moved.push(join(target, name));
    }
  } catch (error) {
    for (const path of moved) rmSync(path, { force: true });
    throw error;
  }
}

const host =
  hostname()
    .replaceAll(/[^\w-]/g, '')
    .slice(0, 24) || 'host';

interface Partial {
  readonly name: string;
  readonly host: string;
  readonly pid: number;
}

function findPartials(folder: string, name: string): Partial[] {
  return readdirSync(folder).flatMap((entry) => {
    if (!entry.startsWith(`.${name}.`)) return [];
    const [, itsHost, pid] = /^([\w-]+)\.(\d+)\.partial$/.exec(entry.slice(name.length + 2)) ?? [];
    return itsHost === undefined ? [] : [{ name: entry, host: itsHost, pid: Number(pid) }];
  });
}

/** Only processes of this machine can be asked for; one with the pid of this process has ended. */
const isAbandoned = ({ host: itsHost, pid }: Partial): boolean =>
  itsHost === host && (pid === process.pid || !isAlive({ pid, started: null }));

/** Makes sure that a folder does not exist or is empty. @throws model.folder_exists */
export function requireNew(folder: string): void {
  if (isFree(folder)) return;
  const entries = statSync(folder, { throwIfNoEntry: false })?.isDirectory()
    ? readdirSync(folder)
    : undefined;
  const partials = entries === undefined ? [] : findPartials(folder, 'model').filter(isAbandoned);
  if (entries !== undefined && entries.length === partials.length) return;
  throw exists(folder, 'it exists already; choose a new folder');
}

/** Makes sure that a file does not exist. @throws model.folder_exists */
export function requireNewFile(path: string): void {
  if (isFree(path)) return;
  const isFolder = statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
  throw exists(path, isFolder ? 'it is a folder; name a new file' : 'it exists already; choose a new file');
}

/** Tells whether nothing has a path, not even a link that leads nowhere; a file among its parents is reported later. */
function isFree(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) === undefined;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOTDIR') return true;
    throw error;
  }
}

const exists = (path: string, finding: string): AppError =>
  new AppError('model.folder_exists', `write ${path}: ${finding}`, { details: { folder: path } });

/** What the system said while a path was written, as an error with a remedy; other errors stay as they are. */
export function describeWriteFailure(path: string, partial: string, error: unknown): unknown {
  const { code, syscall, path: at } = error as NodeJS.ErrnoException;
  if (error instanceof AppError || code === undefined || syscall === undefined) return error;
  const details = { path, code };
  if (code === 'ENOSPC' || code === 'EDQUOT')
    return new AppError(
      'model.disk_full',
      `write ${path}: the disk is full; free space, or choose another disk`,
      {
        details,
        cause: error,
      },
    );
  const isWriting = at?.startsWith(partial) === true || ['write', 'fsync', 'rename'].includes(syscall);
  return isWriting ? writeFailed(path, error) : error;
}

const writeFailed = (path: string, cause: unknown): AppError =>
  new AppError('model.write_failed', `write ${path}: ${describeObstacle(cause)}; choose another place`, {
    details: { path },
    cause,
  });
