/**
 * @file Writes a new model folder, or file, whose weights come piece by piece. It appears whole or not at all, and whether it fits
 * on the disk is known before the first byte.
 */
import {
  closeSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  statfsSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { AppError } from '@espalier/contracts';
import { syncPath, writeAll } from '@espalier/files';

/** A file of a new folder: a text, a file to copy, or bytes that come piece by piece. */
export type NewFile =
  string | { readonly copyOf: string } | { readonly bytes: number; readonly pieces: Iterable<Uint8Array> };

export interface WriteOptions {
  readonly signal?: AbortSignal;
  /** called now and then with the bytes written so far */
  readonly onProgress?: (bytes: number, ofBytes: number) => void;
  /** bytes that are free; default: those of the disk */
  readonly freeBytes?: number;
}

/** What a folder takes beyond its files' bytes: blocks that are not full, entries. */
const spareBytes = 1 << 16;

/**
 * Writes a folder.
 *
 * @param files by name
 * @throws model.folder_exists, model.disk_full; errors of the file system pass through
 */
export async function writeFolder(
  folder: string,
  files: ReadonlyMap<string, NewFile>,
  options: WriteOptions = {},
): Promise<void> {
  const total = [...files.values()].reduce((sum, file) => sum + bytesOf(file), 0);
  await publish(folder, total, options, async (partial, report) => {
    mkdirSync(partial, { recursive: true });
    for (const [name, file] of files) await writeFile(join(partial, name), file, report);
    if (process.platform !== 'win32') syncPath(partial);
  });
}

/** Writes one file, as {@link writeFolder} does a folder. */
export async function writeNewFile(path: string, file: NewFile, options: WriteOptions = {}): Promise<void> {
  await publish(path, bytesOf(file), options, async (partial, report) => {
    mkdirSync(dirname(partial), { recursive: true });
    await writeFile(partial, file, report);
  });
}

type Report = (bytes: number) => Promise<void>;

/** Writes under a temporary name next to the path, then renames. */
async function publish(
  path: string,
  total: number,
  { signal, onProgress, freeBytes = freeBytesAt(path) }: WriteOptions,
  write: (partial: string, report: Report) => Promise<void>,
): Promise<void> {
  requireNew(path);
  if (total + spareBytes > freeBytes) {
    const finding = `it takes ${megabytes(total)}, but the disk has ${megabytes(freeBytes)} free`;
    throw new AppError('model.disk_full', `write ${path}: ${finding}; free space, or choose another disk`, {
      details: { path, bytes: total, freeBytes },
    });
  }
  const partial = join(dirname(resolve(path)), `.${basename(resolve(path))}.${process.pid}.partial`);
  let done = 0;
  try {
    await write(partial, async (bytes) => {
      signal?.throwIfAborted();
      done += bytes;
      onProgress?.(done, total);
      await setImmediate();
    });
    renameSync(partial, path);
  } catch (error) {
    rmSync(partial, { recursive: true, force: true });
    throw error;
  }
}

/** Makes sure that a folder does not exist or is empty. @throws model.folder_exists */
export function requireNew(folder: string): void {
  if (!existsSync(folder)) return;
  if (statSync(folder).isDirectory() && readdirSync(folder).length === 0) return;
  throw new AppError('model.folder_exists', `write ${folder}: it exists already; choose a new folder`, {
    details: { folder },
  });
}

function bytesOf(file: NewFile): number {
  if (typeof file === 'string') return Buffer.byteLength(file);
  return 'copyOf' in file ? statSync(file.copyOf).size : file.bytes;
}

async function writeFile(path: string, file: NewFile, report: Report): Promise<void> {
  if (typeof file === 'string' || 'copyOf' in file) {
    if (typeof file === 'string') writeFileSync(path, file);
    else copyFileSync(file.copyOf, path);
    await report(bytesOf(file));
  } else {
    const descriptor = openSync(path, 'wx');
    try {
      for (const piece of file.pieces) await report(writeAll(descriptor, piece));
    } finally {
      closeSync(descriptor);
    }
  }
  syncPath(path, 'r+');
}

function freeBytesAt(folder: string): number {
  let present = resolve(folder);
  while (!existsSync(present)) present = dirname(present);
  const { bavail, bsize } = statfsSync(present);
  return bavail * bsize;
}

const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(1)} MB`;
