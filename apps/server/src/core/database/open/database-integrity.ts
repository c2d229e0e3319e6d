/**
 * @file A used SQLite database must never be silently recreated: not when its file is missing, nor when a corrupt
 * write-ahead log has lost all tables. `<file>.known` marks that there was one.
 */
import { existsSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { AppError } from '@espalier/contracts';
import type { DataSource } from 'typeorm';

/** Checking takes about a second for this much; larger databases are checked by `PRAGMA integrity_check` offline. */
const maxCheckedBytes = 256 * 1024 * 1024;

const markerOf = (file: string): string => `${file}.known`;

const sizeOf = (path: string): number => statSync(path, { throwIfNoEntry: false })?.size ?? 0;

/** Returns whether an error of SQLite means that a file is not, or no longer, a database. */
export const isCorruption = (reason: string): boolean => /malformed|not a database|corrupt/i.test(reason);

/** Finds a file that shows that a data folder belongs to a database that exists, or existed. */
function findEvidence(file: string, data: string): string | undefined {
  const objects = join(data, 'artifacts', 'objects');
  if (existsSync(markerOf(file))) return markerOf(file);
  if (existsSync(join(data, 'admin.key'))) return join(data, 'admin.key');
  return existsSync(objects) && readdirSync(objects).length > 0 ? objects : undefined;
}

/** Rejects a missing database that once existed. @throws server.database_lost */
export function assertDatabaseExists(file: string, data: string): void {
  const evidence = findEvidence(file, data);
  const exists = sizeOf(file) > 0 || sizeOf(`${file}-wal`) > 0;
  if (evidence !== undefined && !exists)
    throw databaseLost(file, data, `it is missing, but ${evidence} is there`);
}

/**
 * Rejects a database that has lost its tables or is corrupt; call before migrations.
 *
 * @throws server.database_lost
 */
export async function checkIntegrity(source: DataSource, file: string, data: string): Promise<void> {
  const evidence = findEvidence(file, data);
  const [tables] = await source.query<{ count: number }[]>(
    `SELECT COUNT(*) AS count FROM sqlite_master WHERE name = 'migration'`,
  );
  if (evidence !== undefined && Number(tables?.count) === 0)
    throw databaseLost(
      file,
      data,
      `it has no tables, but ${evidence} is there: its file or its write-ahead log is damaged`,
    );
  if (statSync(file).size > maxCheckedBytes) return;
  const [found] = await source.query<{ quick_check: string }[]>('PRAGMA quick_check(1)');
  if (found?.quick_check !== 'ok') throw databaseLost(file, data, `it is corrupt (${found?.quick_check})`);
}

/** Marks that there is a database; call after the first migrations. */
export function markInitialized(file: string): void {
  if (existsSync(markerOf(file))) return;
  writeFileSync(markerOf(file), 'The database next to this file is in use; see docs/use/server.md.\n', {
    mode: 0o600,
    flush: true,
  });
}

/** The error of a missing or corrupt database. */
export function databaseLost(file: string, data: string, finding: string): AppError {
  return new AppError(
    'server.database_lost',
    `open the database "${file}": ${finding}; restore the file from a backup, or move "${data}" and "${markerOf(file)}" away to start over without its runs and keys`,
  );
}
