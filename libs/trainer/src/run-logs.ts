/**
 * @file What the logs of a run must begin with so that a checkpoint can go on from them: their length and sha256 at
 * the moment it was saved (`logs.json`). Logs are the files of the caller's sink and the outcomes of validations.
 * A log that does not begin so is damaged; it is copied aside, never deleted.
 */
import { createHash } from 'node:crypto';
import {
  closeSync,
  copyFileSync,
  existsSync,
  openSync,
  readdirSync,
  readSync,
  rmSync,
  statSync,
} from 'node:fs';
import { basename, dirname, join, relative, sep } from 'node:path';
import type { FileMark } from '@espalier/contracts';
import { hashFile } from './durable-folder.js';

/** Path relative to the run folder → how far that file was written. */
export type LogMarks = Readonly<Record<string, FileMark>>;

export interface DamagedLog {
  /** path relative to the run folder */
  readonly name: string;
  readonly finding: string;
}

/** Gathers the marks of a run's logs; call after its sink was flushed. */
export function markLogs(runFolder: string, ofSink: Readonly<Record<string, FileMark>>): LogMarks {
  const entries = Object.entries(ofSink).map(([path, mark]) => [
    relative(runFolder, path).split(sep).join('/'),
    mark,
  ]);
  return { ...Object.fromEntries(entries), ...markValidations(runFolder) } as LogMarks;
}

function markValidations(runFolder: string): LogMarks {
  const folder = join(runFolder, 'validation');
  const names = existsSync(folder) ? readdirSync(folder).filter((name) => /^step-\d+\.json$/.test(name)) : [];
  return Object.fromEntries(
    names.map((name) => {
      const path = join(folder, name);
      return [`validation/${name}`, { bytes: statSync(path).size, sha256: hashFile(path) }];
    }),
  );
}

/** Lists the logs that do not begin as their marks say. */
export function listDamagedLogs(runFolder: string, marks: LogMarks): DamagedLog[] {
  return Object.entries(marks).flatMap(([name, mark]) => {
    const finding = compareWithMark(join(runFolder, name), mark);
    return finding === undefined ? [] : [{ name, finding }];
  });
}

function compareWithMark(path: string, { bytes, sha256 }: FileMark): string | undefined {
  if (!existsSync(path)) return 'it is missing';
  const { size } = statSync(path);
  if (size < bytes) return `it has ${size} bytes, not ${bytes}`;
  if (hashStart(path, bytes) === sha256) return undefined;
  return `its first ${bytes} bytes have another sha256`;
}

/** The sha256 of the first bytes of a file. */
function hashStart(path: string, bytes: number): string {
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

/**
 * Copies a file of a run to `broken-<name>-<n>` beside it.
 *
 * @returns where the copy lies; undefined when there is nothing to copy
 */
export function copyAside(runFolder: string, name: string): string | undefined {
  const path = join(runFolder, name);
  if (!existsSync(path)) return undefined;
  for (let attempt = 1; ; attempt += 1) {
    const aside = join(dirname(path), `broken-${basename(path)}-${attempt}`);
    if (existsSync(aside)) continue;
    copyFileSync(path, aside);
    return aside;
  }
}

/** Sets outcomes of validations aside, which nobody cuts back: they are whole or not used. */
export function dropDamagedValidations(runFolder: string, damaged: readonly DamagedLog[]): void {
  for (const { name } of damaged) {
    if (name.startsWith('validation/')) rmSync(join(runFolder, name), { force: true });
  }
}
