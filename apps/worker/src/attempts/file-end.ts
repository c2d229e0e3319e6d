/**
 * @file The ends of files that grow line by line, read from the end: they may be larger than any string or buffer. Also
 * what bounds a log: a process that prints without end keeps neither the disk nor the server busy.
 */
import { appendFileSync, closeSync, existsSync, fstatSync, openSync, readSync } from 'node:fs';
import { statSync, truncateSync } from 'node:fs';

const newline = 10;
const pieceBytes = 256 * 1024;
/** of what was printed last, kept when a log is cut */
const tailBytes = 8 * 1024;

/** Ends the last line of a file, if it has bytes and no newline at its end. */
export function endLastLine(file: string): void {
  const { size, lineEnd } = measure(file, 1);
  if (size > 0 && lineEnd !== size) appendFileSync(file, '\n');
}

/** Cuts a file back to its last whole line. */
export function cutTornEnd(file: string): void {
  const { size, lineEnd } = measure(file, Infinity);
  if (lineEnd < size) truncateSync(file, lineEnd);
}

/**
 * Cuts a log back that has grown beyond its bound; who appends to it goes on after the cut. What lies before the bound
 * never changes. After it a line says that something is missing, and what was printed last follows, for it may say why a
 * training ends.
 *
 * @param most bytes
 * @returns whether it was cut
 */
export function boundLog(file: string, most: number): boolean {
  const size = statSync(file, { throwIfNoEntry: false })?.size ?? 0;
  if (size <= most + pieceBytes) return false;
  const tail = readTail(file, size);
  truncateSync(file, most);
  appendFileSync(file, Buffer.concat([Buffer.from(`\n[${describeCut(most)}]\n`), tail]));
  return true;
}

/** The last lines of a file, whole but for an overlong one. */
function readTail(file: string, size: number): Buffer {
  const descriptor = openSync(file, 'r');
  try {
    const tail = Buffer.allocUnsafe(tailBytes);
    const count = readSync(descriptor, tail, 0, tailBytes, size - tailBytes);
    const begin = tail.subarray(0, count - 1).indexOf(newline) + 1;
    return tail.subarray(begin, count);
  } finally {
    closeSync(descriptor);
  }
}

/** Says what happens to a log beyond its bound. */
export function describeCut(most: number): string {
  const bound = most % 2 ** 20 === 0 ? `${most / 2 ** 20} MiB` : `${most} bytes`;
  return `the training has printed more than ${bound}; lines after that are dropped, and it goes on; print less, or raise logMb in the settings of its worker`;
}

/** Size of a file, and how far its whole lines reach, looked for in about so many bytes at its end; 0 without any. */
function measure(file: string, reach: number): { readonly size: number; readonly lineEnd: number } {
  if (!existsSync(file)) return { size: 0, lineEnd: 0 };
  const descriptor = openSync(file, 'r');
  try {
    const { size } = fstatSync(descriptor);
    const piece = Buffer.allocUnsafe(Math.min(size, reach, pieceBytes));
    for (let end = size; end > 0 && size - end < reach;) {
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
