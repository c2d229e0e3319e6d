/**
 * @file The layout of a backup on disk. `backup.json` lists every file with size and hash and is written last, so a
 * folder without it is no backup. Backup and restore both write to `.incomplete/` of their target and move it up at the end.
 */
import { createReadStream, createWriteStream, existsSync } from 'node:fs';
import { chmod, mkdir, readdir, readFile, rename, rm, rmdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { AppError, isAppError, isSafePath } from '@espalier/contracts';
import { createFolder, describeObstacle } from '@espalier/files';
import { z } from 'zod';
import { artifactFolder } from '../../config/server-options.js';
import { syncFolder } from '../artifacts/store/directory-artifact-store.js';
import { type ArtifactContent, ContentMeter } from '../artifacts/store/artifact-content.js';

export const manifestFile = 'backup.json';
/** Files of the data folder that cannot be recreated: first keys, printed or not, and the models that `up` allowed. */
export const smallFiles = ['admin.key', 'worker.key', 'first-keys.json', 'own-models.json'];
/** the database in a backup, by kind */
export const databaseFiles = { sqlite: 'database.sqlite', postgres: 'database.dump' } as const;
/** where the directory store has the content of artifacts, by key */
export const objectFolder = `${artifactFolder}/objects`;

const count = z.int().min(0);
const manifestSchema = z.object({
  format: z.literal(1),
  /** of Espalier */
  version: z.string(),
  /** when the snapshot of the database was taken, ISO 8601 */
  createdAt: z.string(),
  database: z.enum(['sqlite', 'postgres']),
  artifactStore: z.discriminatedUnion('driver', [
    z.object({ driver: z.literal('directory') }),
    z.object({
      driver: z.literal('s3'),
      bucket: z.string(),
      prefix: z.string(),
      endpoint: z.string(),
    }),
  ]),
  counts: z.object({ runs: count, jobs: count, artifacts: count }),
  /** artifacts that the store had lost or damaged before the backup */
  missing: z.array(z.object({ key: z.string(), finding: z.string() })),
  files: z.array(
    z.object({
      path: z.string().refine(isSafePath),
      bytes: count,
      sha256: z.string().regex(/^[0-9a-f]{64}$/),
    }),
  ),
});
export type BackupManifest = z.infer<typeof manifestSchema>;
export type BackupFile = BackupManifest['files'][number];

/** The progress of a backup or a restore. */
export interface BackupProgress {
  readonly stage: 'database' | 'artifacts';
  readonly files: number;
  readonly ofFiles: number;
  readonly bytes: number;
}

export interface BackupCalls {
  /** when aborted, everything that was written is removed */
  readonly signal?: AbortSignal;
  onProgress?(progress: BackupProgress): void;
}

/** Reads the list of a backup. @throws backup.not_found, backup.corrupt */
export async function readManifest(folder: string): Promise<BackupManifest> {
  const path = join(folder, manifestFile);
  if (!existsSync(path))
    throw new AppError(
      'backup.not_found',
      `restore "${folder}": it has no ${manifestFile}, so it is not a backup, or an incomplete one; name the folder of a complete backup`,
    );
  try {
    return manifestSchema.parse(JSON.parse(await readFile(path, 'utf8')));
  } catch (cause) {
    throw damaged(folder, manifestFile, 'it is not a valid list of a backup', cause);
  }
}

/** The error of a corrupt backup. */
export function damaged(folder: string, path: string, finding: string, cause?: unknown): AppError {
  return new AppError(
    'backup.corrupt',
    `restore "${folder}": "${path}" is damaged: ${finding}; restore another backup`,
    { cause },
  );
}

/** Rejects a folder that is not empty. @throws backup.target_not_empty */
async function assertEmpty(folder: string, operation: string, remedy: string): Promise<void> {
  const [first] = existsSync(folder) ? await readdir(folder) : [];
  if (first === undefined) return;
  throw new AppError(
    'backup.target_not_empty',
    `${operation}: "${folder}" is not empty, it has "${first}"; ${remedy}`,
  );
}

export interface Target {
  readonly folder: string;
  readonly operation: string;
  /** what to do when the folder is not empty */
  readonly remedy: string;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Fills an empty folder all or nothing: `fill` writes to a folder inside it, whose entries are then moved up, the last
 * one last. On failure the folder is empty again, or removed if it is new.
 *
 * @param last entry without which the folder is not complete
 * @param finish called once everything is there, before `last`; its failure removes everything too
 * @throws backup.target_not_empty, backup.failed, cli.interrupted
 */
export async function fillFolder<T>(
  { folder, operation, remedy, signal }: Target,
  last: string,
  fill: (stage: string) => Promise<T>,
  finish: () => Promise<void> = () => Promise.resolve(),
): Promise<T> {
  await assertEmpty(folder, operation, remedy);
  const isNew = !existsSync(folder);
  createFolder(folder, operation, remedy);
  if (isNew) await chmod(folder, 0o700);
  const stage = join(folder, '.incomplete');
  const moved: string[] = [];
  try {
    await mkdir(stage, { mode: 0o700 });
    const result = await fill(stage);
    const names = (await readdir(stage)).filter((name) => name !== last);
    signal?.throwIfAborted();
    for (const name of names) {
      await rename(join(stage, name), join(folder, name));
      moved.push(name);
    }
    await finish();
    if (last !== '' && existsSync(join(stage, last))) await rename(join(stage, last), join(folder, last));
    await rmdir(stage);
    for (const path of [folder, dirname(folder)]) await syncFolder(path);
    return result;
  } catch (error) {
    for (const name of ['.incomplete', ...moved])
      await rm(join(folder, name), { recursive: true, force: true });
    if (isNew) await rm(folder, { recursive: true, force: true });
    throw toBackupError(operation, error, signal);
  }
}

function toBackupError(operation: string, error: unknown, signal: AbortSignal | undefined): AppError {
  if (signal?.aborted === true)
    return new AppError('cli.interrupted', `${operation}: interrupted; nothing was changed, run it again`);
  const errno = findErrno(error);
  if (errno === undefined && isAppError(error)) return error;
  const finding = errno === undefined ? String(error) : describeObstacle(errno);
  return new AppError('backup.failed', `${operation}: ${finding}; nothing was changed, run it again`, {
    cause: error,
  });
}

/** Finds the file system error behind an error, if any. */
function findErrno(error: unknown): NodeJS.ErrnoException | undefined {
  if (!(error instanceof Error)) return undefined;
  return 'errno' in error ? (error as NodeJS.ErrnoException) : findErrno(error.cause);
}

/** Copies a file for this user only, durably. */
export async function copyFile(source: string, target: string): Promise<ArtifactContent> {
  await mkdir(dirname(target), { recursive: true, mode: 0o700 });
  const meter = new ContentMeter();
  await pipeline(
    createReadStream(source),
    meter,
    createWriteStream(target, { flags: 'wx', mode: 0o600, flush: true }),
  );
  return meter.total();
}

/** Size and hash of a file. */
export async function measureFile(path: string): Promise<ArtifactContent> {
  const meter = new ContentMeter();
  await pipeline(createReadStream(path), meter.resume());
  return meter.total();
}

/** Writes a small file for this user only, durably. */
export async function writePrivate(path: string, content: string | Buffer): Promise<void> {
  await writeFile(path, content, { mode: 0o600, flag: 'wx', flush: true });
}

/** Processes each item, a few at a time. */
export async function forEachOf<T>(
  items: readonly T[],
  work: (item: T) => Promise<void>,
  signal?: AbortSignal,
): Promise<void> {
  const left = items.values();
  const walk = async (): Promise<void> => {
    for (const item of left) {
      signal?.throwIfAborted();
      await work(item);
    }
  };
  const ends = await Promise.allSettled(Array.from({ length: 8 }, walk));
  for (const end of ends) if (end.status === 'rejected') throw end.reason;
}
