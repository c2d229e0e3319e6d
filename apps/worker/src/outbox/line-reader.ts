/**
 * @file Reads a growing file line by line, each with its number from 1. A line is complete once its newline is there.
 * Overlong lines are truncated. Nothing beyond the size limit is read.
 */
import { closeSync, openSync, readSync, statSync } from 'node:fs';

/** One line without its newline. */
export interface Line {
  readonly sequence: number;
  readonly text: string;
}

export interface LineReader {
  /** Number of the last line read; 0 before the first. */
  readonly position: number;
  /** Continues after a line, which must exist. */
  seek(position: number): void;
  /** Reads the next complete lines: at most `count`, about `bytes` in total, but at least one if there is one. */
  read(count: number, bytes: number): Line[];
}

const chunkBytes = 256 * 1024;
const longestLine = 1024 * 1024;

/**
 * Creates a reader; the file need not exist yet.
 *
 * @param maxBytes size limit; a line that ends beyond it is not returned
 */
export function createLineReader(path: string, maxBytes = Infinity): LineReader {
  let position = 0;
  let offset = 0; // of the first byte not in `pending`
  let pending: Buffer = Buffer.alloc(0);
  let skipped = false; // `pending` is the truncated beginning of a line whose end has not been read yet
  const chunk = Buffer.allocUnsafe(chunkBytes);

  const fill = (): boolean => {
    // most polls find nothing new, and this is the cheapest check
    if ((statSync(path, { throwIfNoEntry: false })?.size ?? 0) <= offset) return false;
    const descriptor = openIfThere(path);
    if (descriptor === undefined) return false;
    try {
      const count = readSync(descriptor, chunk, 0, Math.min(chunkBytes, maxBytes - offset), offset);
      offset += count;
      pending = append(pending, chunk.subarray(0, count));
      return count > 0;
    } finally {
      closeSync(descriptor);
    }
  };
  const append = (before: Buffer, more: Buffer): Buffer => {
    if (!skipped && before.length <= longestLine) return Buffer.concat([before, more]);
    // drop the remainder of an overlong line
    skipped = true;
    const end = more.indexOf(10);
    if (end < 0) return before;
    skipped = false;
    return Buffer.concat([before.subarray(0, longestLine), more.subarray(end)]);
  };
  const next = (): Line | undefined => {
    let end = pending.indexOf(10);
    while (end < 0 && fill()) end = pending.indexOf(10);
    if (end < 0) return undefined;
    const text = pending.toString('utf8', 0, Math.min(end, longestLine));
    pending = pending.subarray(end + 1);
    position += 1;
    return { sequence: position, text };
  };
  return {
    get position() {
      return position;
    },
    seek(wanted) {
      if (wanted < position) {
        position = 0;
        offset = 0;
        skipped = false;
        pending = Buffer.alloc(0);
      }
      while (position < wanted && next() !== undefined);
    },
    read(count, bytes) {
      const lines: Line[] = [];
      for (let size = 0; lines.length < count && size < bytes;) {
        const line = next();
        if (line === undefined) break;
        size += line.text.length;
        lines.push(line);
      }
      return lines;
    },
  };
}

function openIfThere(path: string): number | undefined {
  try {
    return openSync(path, 'r');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
