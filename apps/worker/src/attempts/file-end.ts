/**
 * @file Reads and repairs the ends of files that grow line by line. It reads from the end, because the files may be
 * larger than any string or buffer. It also limits the size of logs, so that a process cannot fill the disk or flood the
 * server with output.
 */
import {
  appendFileSync,
  closeSync,
  existsSync,
  fstatSync,
  ftruncateSync,
  openSync,
  readSync,
  statSync,
  truncateSync,
} from 'node:fs';

const newline = 10;
const pieceBytes = 256 * 1024;
/** bytes at the end of a log that stay when it is truncated */
const tailBytes = 8 * 1024;

/** Truncates a file to its last complete line. */
export function truncatePartialLine(file: string): void {
  const { size, lineEnd } = measure(file);
  if (lineEnd < size) truncateSync(file, lineEnd);
}

/**
 * Truncates a log that has outgrown its limit; processes that append to it continue after the cut. The bytes before the
 * limit never change. After them comes a line that says that output is missing, and then the last output, because it may
 * tell why the process ended.
 *
 * @param maxBytes the limit
 * @returns whether the log was truncated
 */
export function truncateLog(file: string, maxBytes: number): boolean {
  const size = statSync(file, { throwIfNoEntry: false })?.size ?? 0;
  if (size <= maxBytes + pieceBytes) return false;
  const tail = cut(file, size, maxBytes);
  appendFileSync(file, Buffer.concat([Buffer.from(`\n[${describeTruncation(maxBytes)}]\n`), tail]));
  return true;
}

/**
 * Truncates a file and returns its last complete lines, or its end where a line is longer than the tail. Reads up to the
 * end of the file as it is then, since what a process appends between the last read and the truncation is lost.
 */
function cut(file: string, size: number, maxBytes: number): Buffer {
  const descriptor = openSync(file, 'r+');
  try {
    let tail: Buffer = Buffer.alloc(0);
    const chunk = Buffer.allocUnsafe(tailBytes);
    for (let position = size - tailBytes, count = tailBytes; count === tailBytes; position += count) {
      count = readSync(descriptor, chunk, 0, tailBytes, position);
      tail = Buffer.concat([tail, chunk.subarray(0, count)]).subarray(-tailBytes);
    }
    ftruncateSync(descriptor, maxBytes);
    return tail.subarray(tail.subarray(0, -1).indexOf(newline) + 1);
  } finally {
    closeSync(descriptor);
  }
}

/** Describes what happens to a log that exceeds its limit. */
export function describeTruncation(maxBytes: number): string {
  const limit = maxBytes % 2 ** 20 === 0 ? `${maxBytes / 2 ** 20} MiB` : `${maxBytes} bytes`;
  return `capture output: the process has printed more than ${limit} and further lines are dropped; print less, or raise logMb in the settings of the worker`;
}

/** Size of a file, and the end of its last complete line; 0: none. */
function measure(file: string): { readonly size: number; readonly lineEnd: number } {
  if (!existsSync(file)) return { size: 0, lineEnd: 0 };
  const descriptor = openSync(file, 'r');
  try {
    const { size } = fstatSync(descriptor);
    const piece = Buffer.allocUnsafe(Math.min(size, pieceBytes));
    for (let end = size; end > 0;) {
      const begin = Math.max(0, end - piece.length);
      const count = readSync(descriptor, piece, 0, end - begin, begin);
      const found = piece.subarray(0, count).lastIndexOf(newline);
      if (found >= 0) return { size, lineEnd: begin + found + 1 };
      end = begin;
    }
    return { size, lineEnd: 0 };
  } finally {
    closeSync(descriptor);
  }
}
