/**
 * @file Where native libraries lie: in the cache folder of the user, one folder per version, written whole by `espalier
 * setup`.
 */
import { existsSync, readlinkSync } from 'node:fs';
import { homedir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { AppError } from '@espalier/contracts';
import { choosersOf } from '../drivers/driver.js';
import { type LibraryName, pinnedLibraries } from './pinned-libraries.js';
import type { PinnedLibrary } from './pinned-library.js';

/** The file that is written last, so that a folder with it is whole. */
export const libraryManifest = 'library.json';

/** ESPALIER_CACHE, else the folder of the XDG standard. */
export function cacheFolder(environment: NodeJS.ProcessEnv = process.env): string {
  const { ESPALIER_CACHE: own = '', XDG_CACHE_HOME: caches = '' } = environment;
  if (own !== '') return resolve(own);
  return join(caches === '' ? join(homedir(), '.cache') : caches, 'espalier');
}

/** The folder of the pinned version of a library, which need not be there. */
export function libraryFolder({ name, version, platform }: PinnedLibrary): string {
  return join(cacheFolder(), 'libraries', `${name}-${version}-${platform}`);
}

/** Tells whether a library is there, whole. */
export const isInstalled = (library: PinnedLibrary): boolean =>
  existsSync(join(libraryFolder(library), libraryManifest));

/** A library that is there. */
export interface FoundLibrary {
  readonly folder: string;
  readonly library: PinnedLibrary;
  /** the files to open, each after those that it needs */
  readonly paths: readonly string[];
}

/** @throws runtime.driver_unavailable */
export function findLibrary(name: LibraryName): FoundLibrary {
  const library = pinnedLibraries[name];
  const here = `${process.platform}-${process.arch}`;
  if (library.platform !== here)
    throw unavailableLibrary(
      name,
      `${library.title} ${library.version} is pinned for ${library.platform} only, this is ${here}; leave ${name === 'cuda' ? 'device.provider' : choosersOf[name]} out`,
    );
  const folder = libraryFolder(library);
  if (!isInstalled(library))
    throw unavailableLibrary(
      name,
      `${library.title} ${library.version} is not in ${folder}; run espalier setup ${name}`,
    );
  const paths = library.loadOrder.map((file) => join(folder, file));
  const members = library.wheels.flatMap((wheel) => wheel.members.map((member) => basename(member)));
  const gone = members.map((file) => join(folder, file)).find((path) => !existsSync(path));
  if (gone !== undefined)
    throw unavailableLibrary(
      name,
      `${gone} is gone${describeLink(gone)}; run espalier setup ${name} --force`,
    );
  return { folder, library, paths };
}

/** Where a library of the machine was when it was set up. */
function describeLink(path: string): string {
  try {
    return `: it was ${readlinkSync(path)}`;
  } catch {
    return '';
  }
}

const unavailableLibrary = (name: LibraryName, finding: string): AppError =>
  new AppError('runtime.driver_unavailable', `open library "${name}": ${finding}`, {
    details: { library: name },
  });
