/**
 * @file Puts a pinned library into the cache of the user: fetched, checked by its hash, unpacked into a folder that appears
 * whole. Nothing half-written stays, and of several processes one works at a time.
 */
import { createHash } from 'node:crypto';
import { closeSync, existsSync, mkdirSync, mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { AppError } from '@espalier/contracts';
import { createFolder, createLock, describeOwner, publishFolder, syncPath, writeAll } from '@espalier/files';
import {
  isInstalled,
  libraryFolder,
  libraryManifest,
  type PinnedLibrary,
  type PinnedWheel,
} from '@espalier/runtime';
import { findWheel, hashOf, type WheelPlace } from './find-wheel.js';
import { type PipSettings, readPipSettings } from './pip-settings.js';
import { printAddress, request, TemporaryFailure } from './requests.js';
import { unpackWheel } from './unpack-wheel.js';

export type InstallProgress =
  | { readonly kind: 'download'; readonly file: string; readonly bytes: number; readonly ofBytes: number }
  | { readonly kind: 'unpack'; readonly file: string };

export interface InstallOptions {
  /** wheels that the user has, in place of an index */
  readonly wheels?: readonly string[];
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

/** @throws setup.unsupported_platform, setup.no_source, setup.unreachable, setup.wrong_file, setup.locked */
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
  createFolder(dirname(folder), operation);
  const lock = createLock(`${folder}.lock`, (owner) => {
    const message = `${operation}: ${describeOwner(owner)} is doing that; wait for it (if it is gone, delete "${folder}.lock")`;
    return new AppError('setup.locked', message);
  });
  const work = mkdtempSync(`${folder}.part-`);
  try {
    const fresh = join(work, 'library');
    mkdirSync(fresh);
    const wheels = [...(options.wheels ?? [])];
    for (const wheel of library.wheels) {
      const file = await fetchWheel(wheel, wheels, { ...options, operation, work });
      options.report?.({ kind: 'unpack', file: Object.keys(wheel.files)[0] ?? file });
      await unpackWheel(file, wheel.members, fresh);
    }
    const { name, version, license } = library;
    writeFileSync(join(fresh, libraryManifest), `${JSON.stringify({ name, version, license })}\n`);
    syncPath(fresh);
    options.signal.throwIfAborted();
    publishFolder(fresh, folder);
  } finally {
    rmSync(work, { recursive: true, force: true });
    lock.release();
  }
  return { folder, isOld: false };
}

interface FetchOptions extends InstallOptions {
  readonly operation: string;
  readonly work: string;
}

/** A checked file of the wheel: one that the user gave, of pip's folders, or downloaded. */
async function fetchWheel(
  wheel: PinnedWheel,
  given: readonly string[],
  options: FetchOptions,
): Promise<string> {
  const hashes = Object.values(wheel.files);
  if (given.length > 0) return findGiven(hashes, wheel, given, options);
  const { operation, signal, settings = readPipSettings() } = options;
  const { certificate } = settings;
  const place = await findWheel(wheel, settings, { operation, signal, certificate });
  if ('address' in place) return download(place, wheel, { ...options, certificate });
  const hash = await hashOf(place.file);
  if (hash !== hashes[0]) throw wrongHash(operation, place.file, hash, hashes);
  return place.file;
}

async function findGiven(
  hashes: readonly string[],
  { package: name, version }: PinnedWheel,
  given: readonly string[],
  { operation }: FetchOptions,
): Promise<string> {
  let last = '';
  for (const file of given) {
    if (!existsSync(file))
      throw new AppError('setup.no_source', `${operation}: --wheel ${file}: no such file; name the wheel`, {
        details: { missing: true },
      });
    last = await hashOf(file);
    if (hashes.includes(last)) return file;
  }
  if (given.length === 1) throw wrongHash(operation, given[0] ?? '', last, hashes);
  throw new AppError(
    'setup.wrong_file',
    `${operation}: none of the given wheels is ${name} ${version} as it is pinned; add --wheel with that file`,
  );
}

async function download(
  { address }: Extract<WheelPlace, { readonly address: string }>,
  wheel: PinnedWheel,
  options: FetchOptions & { readonly certificate: string | undefined },
): Promise<string> {
  const [[name, expected] = ['', '']] = Object.entries(wheel.files);
  const file = join(options.work, name);
  return request(address, options, async (answer) => {
    const hash = createHash('sha256');
    const to = openSync(file, 'w');
    let bytes = 0;
    try {
      for await (const chunk of answer) {
        hash.update(chunk as Buffer);
        writeAll(to, chunk as Buffer);
        bytes += (chunk as Buffer).length;
        options.report?.({ kind: 'download', file: name, bytes, ofBytes: wheel.bytes });
      }
    } finally {
      closeSync(to);
    }
    if (bytes < Number(answer.headers['content-length'] ?? bytes)) throw new TemporaryFailure('it broke off');
    const found = hash.digest('hex');
    if (found !== expected) throw wrongHash(options.operation, printAddress(address), found, [expected]);
    return file;
  });
}

const wrongHash = (operation: string, from: string, found: string, pinned: readonly string[]): AppError =>
  new AppError(
    'setup.wrong_file',
    `${operation}: ${from} has the sha256 ${found}; expected ${pinned.join(' or ')}; nothing was installed, fetch the pinned file`,
    { details: { sha256: found } },
  );
