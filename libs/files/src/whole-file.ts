/** @file Files that appear whole or not at all: temporary name, fsync, rename. */
import {
  closeSync,
  copyFileSync,
  fsyncSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { dirname } from 'node:path';

/** Most bytes of one call; Node takes less than 2 GiB. */
const maxChunkBytes = 1 << 30;

/** A file of any size whose content is taken over. */
interface CopiedFile {
  readonly copyOf: string;
}

type Content = Uint8Array | string | Iterable<Uint8Array> | CopiedFile;

/**
 * Writes `content` under a temporary name next to `path`, then renames it; an old file stays until the new one is on
 * disk.
 *
 * @param content pieces are written one after the other; a file may be larger than any of them could be
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

/** Writes an array of any size to an open file; gives its bytes. */
export function writeAll(file: number, bytes: Uint8Array, chunkBytes: number = maxChunkBytes): number {
  let written = 0;
  while (written < bytes.length)
    written += writeSync(file, bytes, written, Math.min(chunkBytes, bytes.length - written));
  return written;
}

/** Makes a file, or the names in a folder, survive a power cut. */
export function syncPath(path: string, flags: 'r' | 'r+' = 'r'): void {
  const handle = openSync(path, flags);
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}
