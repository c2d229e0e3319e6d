/** @file Writes a new model folder, or file, whose weights come piece by piece. Whether it fits on the disk is known before the first byte. */
import { closeSync, copyFileSync, mkdirSync, openSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { AppError } from '@espalier/contracts';
import { syncPath, writeAll } from '@espalier/files';
import { describeWriteFailure, openStage, requireNew, requireNewFile } from './staged-path.js';

/** A file of a new folder: a text, a file to copy, or bytes that come piece by piece. */
export type NewFile =
  | string
  | { readonly copyOf: string }
  | { readonly bytes: number; readonly pieces: Iterable<Uint8Array> };

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
  requireNew(folder);
  await publish(folder, total, options, async (partial, report) => {
    mkdirSync(partial);
    for (const [name, file] of files) await writeFile(join(partial, name), file, report);
    if (process.platform !== 'win32') syncPath(partial);
  });
}

/** Writes one file, as {@link writeFolder} does a folder. */
export async function writeNewFile(path: string, file: NewFile, options: WriteOptions = {}): Promise<void> {
  requireNewFile(path);
  await publish(path, bytesOf(file), options, (partial, report) => writeFile(partial, file, report));
}

type Report = (bytes: number) => Promise<void>;

/** Writes under a temporary name on the same disk, then renames. */
async function publish(
  path: string,
  total: number,
  { signal, onProgress, freeBytes }: WriteOptions,
  write: (partial: string, report: Report) => Promise<void>,
): Promise<void> {
  const stage = openStage(path);
  let done = 0;
  const pass = async (): Promise<void> => {
    await setImmediate();
    signal?.throwIfAborted();
  };
  try {
    requireSpace(path, total, freeBytes ?? stage.freeBytes());
    await write(stage.partial, async (bytes) => {
      done += bytes;
      onProgress?.(done, total);
      await pass();
    });
    // the last of the signals arrived while the disk was waited for
    await pass();
    stage.publish();
  } catch (error) {
    throw describeWriteFailure(path, stage.partial, error);
  } finally {
    stage.dispose();
  }
}

function requireSpace(path: string, total: number, freeBytes: number): void {
  if (total + spareBytes <= freeBytes) return;
  const finding = `it takes ${megabytes(total)}, but the disk has ${megabytes(freeBytes)} free`;
  throw new AppError('model.disk_full', `write ${path}: ${finding}; free space, or choose another disk`, {
    details: { path, bytes: total, freeBytes },
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

const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(1)} MB`;
