/**
 * @file The logs that a checkpoint continues: their length and sha256 when it was saved (`logs.json`). Logs are the
 * files of the caller's sink and the outcomes of validations. A log that does not start with those bytes is damaged; it
 * is copied aside, never deleted.
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
import { type FileMark, runLayout } from '@espalier/contracts';
import { hashFile } from '@espalier/files';

/** Path relative to the run folder → how far that file was written. */
export type LogMarks = Readonly<Record<string, FileMark>>;

export interface DamagedLog {
  /** path relative to the run folder */
  readonly name: string;
  readonly finding: string;
}

/** Collects the marks of a run's logs; call after flushing its sink. */
export function markLogs(runFolder: string, ofSink: Readonly<Record<string, FileMark>>): LogMarks {
  const entries = Object.entries(ofSink).map(([path, mark]) => [
    relative(runFolder, path).split(sep).join('/'),
    mark,
  ]);
  return { ...Object.fromEntries(entries), ...markValidations(runFolder) } as LogMarks;
}

function markValidations(runFolder: string): LogMarks {
  const folder = join(runFolder, runLayout.validation);
  const names = existsSync(folder) ? readdirSync(folder).filter((name) => /^step-\d+\.json$/.test(name)) : [];
  return Object.fromEntries(
    names.map((name) => {
      const path = join(folder, name);
      return [`validation/${name}`, { bytes: statSync(path).size, sha256: hashFile(path) }];
    }),
  );
}

/** Lists the logs that do not match their marks. */
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
  return `its first ${bytes} bytes have a different sha256`;
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
 * Copies a file of a run to `corrupt-<name>-<n>` next to it.
 *
 * @returns the path of the copy; undefined when the file does not exist
 */
export function copyAside(runFolder: string, name: string): string | undefined {
  const path = join(runFolder, name);
  if (!existsSync(path)) return undefined;
  for (let attempt = 1; ; attempt += 1) {
    const aside = join(dirname(path), `corrupt-${basename(path)}-${attempt}`);
    if (existsSync(aside)) continue;
    copyFileSync(path, aside);
    return aside;
  }
}

/** Removes damaged outcomes of validations: unlike logs, they cannot be truncated. */
export function dropDamagedValidations(runFolder: string, damaged: readonly DamagedLog[]): void {
  for (const { name } of damaged) {
    if (name.startsWith('validation/')) rmSync(join(runFolder, name), { force: true });
  }
}
