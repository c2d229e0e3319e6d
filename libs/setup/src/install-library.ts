/**
 * @file Puts a pinned library into the cache of the user: fetched, checked by its hash, unpacked into a folder that appears
 * whole. Nothing half-written stays, and of several processes one works at a time.
 */
import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, sep } from 'node:path';
import { AppError, isAppError } from '@espalier/contracts';
import {
  createFolder,
  createLock,
  describeOwner,
  type Lock,
  publishFolder,
  syncPath,
  describeObstacle,
} from '@espalier/files';
import { isInstalled, libraryFolder, libraryManifest, type PinnedLibrary } from '@espalier/runtime';
import { chooseSources, type Links, type SourceOptions } from './choose-sources.js';
import { createDownloads, type DownloadProgress } from './download.js';
import type { MachineLibraries } from './machine-libraries.js';
import { type PipSettings, readPipSettings } from './pip-settings.js';
import { fullDisk, requireRoom } from './room.js';
import { unpackWheel } from './unpack-wheel.js';

export type InstallProgress =
  | DownloadProgress
  | { readonly kind: 'unpack'; readonly file: string; readonly bytes: number; readonly ofBytes: number }
  | { readonly kind: 'link'; readonly file: string; readonly to: string }
  /** libraries that were to be linked and that the machine lacks; what they belong to is fetched */
  | { readonly kind: 'absent'; readonly files: readonly string[] };

export interface InstallOptions {
  /** wheels that the user has, in place of an index */
  readonly wheels?: readonly string[];
  /** link libraries that the machine has in place of those that others install as well; what it lacks is fetched */
  readonly machine?: MachineLibraries;
  /** install again what is there */
  readonly force?: boolean;
  readonly signal: AbortSignal;
  readonly report?: (progress: InstallProgress) => void;
  /** default: pip's of this machine */
  readonly settings?: PipSettings;
}

export interface Installed {
  readonly folder: string;
  /** it was there before */
  readonly isOld: boolean;
}

const cacheRemedy = 'set ESPALIER_CACHE to a folder that you may write to';

/**
 * @throws setup.unsupported_platform, setup.no_source, setup.unreachable, setup.wrong_file, setup.no_space, setup.locked,
 *   cli.unusable_folder
 */
export async function installLibrary(library: PinnedLibrary, options: InstallOptions): Promise<Installed> {
  const operation = `set up ${library.title} ${library.version}`;
  const here = `${process.platform}-${process.arch}`;
  if (here !== library.platform)
    throw new AppError(
      'setup.unsupported_platform',
      `${operation}: it is pinned for ${library.platform}, this is ${here}; train with the default driver`,
    );
  const folder = libraryFolder(library);
  if (isInstalled(library) && options.force !== true) return { folder, isOld: true };
  const { lock, work } = openCache(folder, operation);
  try {
    removeParts(folder, work);
    const fresh = join(work, 'library');
    mkdirSync(fresh);
    const { settings = readPipSettings() } = options;
    const links = await fill(library, fresh, { ...options, settings, operation, work });
    const { name, version, license } = library;
    writeFileSync(join(fresh, libraryManifest), `${JSON.stringify({ name, version, license, links })}\n`);
    syncPath(fresh);
    options.signal.throwIfAborted();
    publishFolder(fresh, folder);
  } catch (cause) {
    throw fullDisk(operation, cause) ?? forbidden(dirname(folder), operation, cause) ?? cause;
  } finally {
    rmSync(work, { recursive: true, force: true });
    lock.release();
  }
  return { folder, isOld: false };
}

/** Locks the place of a library and makes a folder to work in. A folder that is there need not be one to write to. */
function openCache(folder: string, operation: string): { readonly lock: Lock; readonly work: string } {
  createFolder(dirname(folder), operation, cacheRemedy);
  let lock: Lock | undefined;
  try {
    lock = createLock(`${folder}.lock`, (owner) => {
      const message = `${operation}: ${describeOwner(owner)} is doing that; wait for it (if it is gone, delete "${folder}.lock")`;
      return new AppError('setup.locked', message);
    });
    return { lock, work: mkdtempSync(`${folder}.part-`) };
  } catch (cause) {
    lock?.release();
    if (isAppError(cause)) throw cause;
    throw fullDisk(operation, cause) ?? unusableCache(dirname(folder), operation, cause);
  }
}

const unusableCache = (folder: string, operation: string, cause: unknown): AppError =>
  new AppError(
    'cli.unusable_folder',
    `${operation}: the folder "${folder}" cannot be created or written: ${describeObstacle(cause)}; ${cacheRemedy}`,
    { cause },
  );

/** The error of a write that the system does not allow below a folder, as where another user's files lie in it. */
function forbidden(folder: string, operation: string, cause: unknown): AppError | undefined {
  const { code = '', path = '' } = (cause ?? {}) as NodeJS.ErrnoException;
  if (!['EACCES', 'EPERM', 'EROFS'].includes(code) || !path.startsWith(`${folder}${sep}`)) return undefined;
  return unusableCache(folder, operation, cause);
}

/** Removes what installations that were killed have left. Whoever holds the lock is the only one at work. */
function removeParts(folder: string, own: string): void {
  const parts = readdirSync(dirname(folder)).filter((name) => name.startsWith(`${basename(folder)}.part-`));
  for (const name of parts)
    if (name !== basename(own)) rmSync(join(dirname(folder), name), { recursive: true, force: true });
}

interface FillOptions extends SourceOptions {
  readonly work: string;
  readonly report?: (progress: InstallProgress) => void;
}

/** Puts every file into the folder; which of them are links. */
async function fill(library: PinnedLibrary, folder: string, options: FillOptions): Promise<Links> {
  const { operation, report, signal, work } = options;
  const onAbsent = (files: readonly string[]): void => report?.({ kind: 'absent', files });
  const sources = await chooseSources(library, { ...options, onAbsent });
  requireRoom(sources, work, operation);
  const download = createDownloads(sources, options);
  let linked: Links = {};
  for (const { wheel, from } of sources) {
    if ('links' in from) {
      for (const [file, to] of Object.entries(from.links)) {
        symlinkSync(to, join(folder, file));
        report?.({ kind: 'link', file, to });
      }
      linked = { ...linked, ...from.links };
      continue;
    }
    const file = 'file' in from ? from.file : await download(from.address, wheel);
    const name = Object.keys(wheel.files)[0] ?? file;
    await unpackWheel(file, wheel, {
      folder,
      operation,
      signal,
      report: (bytes) => report?.({ kind: 'unpack', file: name, bytes, ofBytes: wheel.unpackedBytes }),
    });
    if ('address' in from) rmSync(file);
  }
  return linked;
}
