/** @file Atomic writes (temporary name, fsync, rename) and hashes of files. */
import { createHash } from 'node:crypto';
import {
  closeSync,
  copyFileSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { dirname } from 'node:path';

/** Bytes per call; Node accepts less than 2 GiB. */
const maxChunkBytes = 1 << 30;

/** A file of any size to copy. */
interface CopiedFile {
  readonly copyOf: string;
}

type Content = Uint8Array | string | Iterable<Uint8Array> | CopiedFile;

/** A file in the making; nothing is at its path before `save`. */
interface WholeFile {
  write(piece: Uint8Array | string): void;
  /** Puts it at its path, in the place of an older one, once it is on disk. */
  save(): void;
  /** Leaves nothing behind; an older file stays. */
  discard(): void;
}

/** Creates a file that is written in pieces, under a temporary name next to `path`. */
export function createWholeFile(path: string): WholeFile {
  mkdirSync(dirname(path), { recursive: true });
  const temporary = temporaryName(path);
  const file = openSync(temporary, 'w');
  let isOpen = true;
  const close = (): void => {
    if (isOpen) closeSync(file);
    isOpen = false;
  };
  return {
    write: (piece) => void writeAll(file, typeof piece === 'string' ? Buffer.from(piece) : piece),
    save() {
      close();
      moveInPlace(temporary, path);
    },
    discard() {
      close();
      rmSync(temporary, { force: true });
    },
  };
}

/**
 * Writes `content` under a temporary name next to `path`, then renames it; an old file stays until the new one is on
 * disk.
 *
 * @param content chunks are written one after another, so a file may be larger than any array
 */
export function saveWholeFile(path: string, content: Content): void {
  if (isCopied(content)) return saveCopy(path, content);
  const file = createWholeFile(path);
  try {
    for (const piece of piecesOf(content)) file.write(piece);
    file.save();
  } catch (error) {
    file.discard();
    throw error;
  }
}

function saveCopy(path: string, { copyOf }: CopiedFile): void {
  mkdirSync(dirname(path), { recursive: true });
  const temporary = temporaryName(path);
  try {
    copyFileSync(copyOf, temporary);
    moveInPlace(temporary, path);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
}

const temporaryName = (path: string): string => `${path}.${process.pid}.tmp`;

function moveInPlace(temporary: string, path: string): void {
  syncPath(temporary, 'r+');
  renameSync(temporary, path);
  // some systems cannot sync a folder
  if (process.platform !== 'win32') syncPath(dirname(path));
}

const isCopied = (content: Content): content is CopiedFile =>
  typeof content === 'object' && 'copyOf' in content;

const piecesOf = (content: Exclude<Content, CopiedFile>): Iterable<Uint8Array | string> =>
  typeof content === 'string' || content instanceof Uint8Array ? [content] : content;

/** Writes an array of any size to an open file; returns the number of bytes. */
export function writeAll(file: number, bytes: Uint8Array, chunkBytes: number = maxChunkBytes): number {
  let written = 0;
  while (written < bytes.length)
    written += writeSync(file, bytes, written, Math.min(chunkBytes, bytes.length - written));
  return written;
}

/** Makes a file, or the entries of a folder, durable. */
export function syncPath(path: string, flags: 'r' | 'r+' = 'r'): void {
  const handle = openSync(path, flags);
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}

/**
 * Computes the sha256 of a file, in hexadecimal, without reading it into memory as a whole.
 *
 * @param bytes how many of its first bytes count
 */
export function hashFile(path: string, bytes = Infinity): string {
  const hash = createHash('sha256');
  const chunk = Buffer.allocUnsafe(1 << 20);
  const descriptor = openSync(path, 'r');
  try {
    for (let left = bytes; left > 0;) {
      const count = readSync(descriptor, chunk, 0, Math.min(left, chunk.length), null);
      if (count === 0) break;
      hash.update(chunk.subarray(0, count));
      left -= count;
    }
  } finally {
    closeSync(descriptor);
  }
  return hash.digest('hex');
}
