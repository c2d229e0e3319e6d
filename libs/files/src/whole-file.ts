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

/**
 * Writes `content` under a temporary name next to `path`, then renames it; an old file stays until the new one is on
 * disk.
 *
 * @param content chunks are written one after another, so a file may be larger than any array
 */
export function saveWholeFile(path: string, content: Content): void {
  mkdirSync(dirname(path), { recursive: true });
  const temporary = `${path}.${process.pid}.tmp`;
  try {
    if (isCopied(content)) copyFileSync(content.copyOf, temporary);
    else writePieces(temporary, piecesOf(content));
    syncPath(temporary, 'r+');
    renameSync(temporary, path);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
  // some systems cannot sync a folder
  if (process.platform !== 'win32') syncPath(dirname(path));
}

const isCopied = (content: Content): content is CopiedFile =>
  typeof content === 'object' && 'copyOf' in content;

function piecesOf(content: Uint8Array | string | Iterable<Uint8Array>): Iterable<Uint8Array> {
  if (typeof content === 'string') return [Buffer.from(content)];
  return content instanceof Uint8Array ? [content] : content;
}

function writePieces(path: string, pieces: Iterable<Uint8Array>): void {
  const file = openSync(path, 'w');
  try {
    for (const piece of pieces) writeAll(file, piece);
  } finally {
    closeSync(file);
  }
}

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
