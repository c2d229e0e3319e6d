/**
 * @file The logs that a checkpoint continues: their length and sha256 when it was saved (`logs.json`). Logs are the
 * files of the caller's sink and the outcomes of validations. A log that does not start with those bytes is damaged; it
 * is copied aside, never deleted.
 */
import { existsSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
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
      return [`${runLayout.validation}/${name}`, { bytes: statSync(path).size, sha256: hashFile(path) }];
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
  if (hashFile(path, bytes) === sha256) return undefined;
  return `its first ${bytes} bytes have a different sha256`;
}

/** Removes damaged outcomes of validations: unlike logs, they cannot be truncated. */
export function dropDamagedValidations(runFolder: string, damaged: readonly DamagedLog[]): void {
  for (const { name } of damaged) {
    if (name.startsWith(`${runLayout.validation}/`)) rmSync(join(runFolder, name), { force: true });
  }
}
