/**
 * @file Truncates logs to the point where a resumed run continues. The run repeats what is cut off.
 */
import {
  closeSync,
  copyFileSync,
  existsSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  readFileSync,
  statSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { AppError } from '@espalier/contracts';
import { completeLines, decodeCheckedLine } from './checked-line.js';
import { saveWholeFile } from './whole-file.js';

/**
 * Truncates a file to its first bytes; a missing file counts as empty.
 *
 * @throws recorder.corrupt_log when it is shorter
 */
export function rewindFile(path: string, bytes: number): void {
  const present = existsSync(path) ? statSync(path).size : 0;
  if (present < bytes) {
    throw new AppError(
      'recorder.corrupt_log',
      `resume ${path}: ${present} bytes, but the checkpoint was made after ${bytes}; restore the file`,
    );
  }
  if (present === bytes) return;
  const descriptor = openSync(path, 'r+');
  try {
    ftruncateSync(descriptor, bytes);
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/**
 * Drops corrupt lines and an incomplete last line from a log.
 *
 * @returns the path of a copy of the original; undefined when no complete line was corrupt
 */
export function dropDamagedLines(path: string): string | undefined {
  const lines = completeLines(path);
  const whole = lines.filter((line) => decodeCheckedLine(line) !== undefined);
  const text = whole.map((line) => `${line}\n`).join('');
  if (!existsSync(path) || readFileSync(path).equals(Buffer.from(text))) return undefined;
  const aside = whole.length < lines.length ? copyAside(path) : undefined;
  saveWholeFile(path, text);
  return aside;
}

/** Copies a file to `corrupt-<name>-<n>` next to it; returns the path of the copy. */
export function copyAside(path: string): string {
  for (let attempt = 1; ; attempt += 1) {
    const aside = join(dirname(path), `corrupt-${basename(path)}-${attempt}`);
    if (existsSync(aside)) continue;
    copyFileSync(path, aside);
    return aside;
  }
}
