/** @file Restores a backup as the data of a server that starts on it. Nothing appears before every hash was checked. */
import { createReadStream, existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { AppError, isAppError } from '@espalier/contracts';
import { resolveInside } from '@espalier/files';
import { DirectoryArtifactStore } from '../artifacts/store/directory-artifact-store.js';
import { locateData, type ServerOptions } from '../../config/server-options.js';
import {
  type BackupCalls,
  type BackupFile,
  type BackupManifest,
  copyFile,
  damaged,
  databaseFiles,
  fillFolder,
  forEachOf,
  objectFolder,
  readManifest,
} from './backup-folder.js';
import { assertEmptyPostgres, assertProgram, restorePostgres } from './database-snapshot.js';

/**
 * Writes the content of a backup to the data folder of the settings, which must be empty or new, and with PostgreSQL to
 * its database, which must be empty; all or nothing. The database comes last: no server starts on less.
 *
 * @throws backup.not_found, backup.corrupt, backup.mismatch, backup.target_not_empty, backup.no_program, backup.failed, cli.interrupted
 */
export async function restoreBackup(
  options: ServerOptions,
  folder: string,
  calls: BackupCalls = {},
): Promise<BackupManifest> {
  const manifest = await readManifest(folder);
  assertMatching(manifest, options, folder);
  const { signal } = calls;
  const { url } = options.database;
  const isPostgres = manifest.database === 'postgres';
  if (isPostgres) {
    await assertProgram('pg_restore', url);
    await assertEmptyPostgres(url);
  }
  const database = findDatabase(manifest, folder);
  const file = isPostgres ? undefined : pathInData(options, 'database');
  const target = {
    folder: options.data,
    operation: `restore "${folder}" to "${options.data}"`,
    remedy: 'name a new folder (--data)',
    signal,
  };
  await fillFolder(
    target,
    file?.split(sep)[0] ?? '',
    (stage) => stageFiles({ manifest, folder, stage, options, calls }),
    async () => {
      if (!isPostgres) return;
      calls.onProgress?.({ stage: 'database', files: 0, ofFiles: 1, bytes: database.bytes });
      await restorePostgres(url, join(folder, database.path), signal);
    },
  );
  return manifest;
}

/** Rejects settings under which the server would not find the content of the backup. @throws backup.mismatch */
function assertMatching(
  manifest: BackupManifest,
  { database, artifacts }: ServerOptions,
  folder: string,
): void {
  const refuse = (finding: string, remedy: string): AppError =>
    new AppError('backup.mismatch', `restore "${folder}": ${finding}; ${remedy}`);
  if (manifest.database !== database.kind)
    throw refuse(
      `it is of a ${manifest.database} database, but the settings have ${database.kind}`,
      `set database.kind to ${manifest.database} (--config)`,
    );
  const { artifactStore } = manifest;
  const { store } = artifacts;
  if (artifactStore.driver !== store.driver)
    throw refuse(
      artifactStore.driver === 's3'
        ? `its artifacts are in the bucket "${artifactStore.bucket}", but the settings have ${store.driver}`
        : `it contains the artifacts, but the settings have ${store.driver}`,
      `set artifacts.store.driver to ${artifactStore.driver} (--config)`,
    );
}

/** The database or the artifacts of the settings, seen from the data folder. @throws backup.mismatch */
function pathInData(options: ServerOptions, which: 'database' | 'artifacts'): string {
  const path = relative(options.data, locateData(options)[which]);
  if (path !== '' && path.split(sep)[0] !== '..') return path;
  const setting = which === 'database' ? 'database.file' : 'artifacts.store.folder';
  throw new AppError(
    'backup.mismatch',
    `restore to "${options.data}": the setting ${setting} names a path outside it; restore with other settings (--config), then move it there`,
  );
}

function findDatabase({ database, files }: BackupManifest, folder: string): BackupFile {
  const path = databaseFiles[database];
  const found = files.find((file) => file.path === path);
  if (found === undefined) throw damaged(folder, path, 'the list of the backup lacks it');
  return found;
}

interface Staging {
  readonly manifest: BackupManifest;
  readonly folder: string;
  readonly stage: string;
  readonly options: ServerOptions;
  readonly calls: BackupCalls;
}

/** Copies everything but a dump of PostgreSQL, which is only checked. @throws backup.corrupt */
async function stageFiles({ manifest, folder, stage, options, calls }: Staging): Promise<void> {
  const artifacts = join(stage, pathInData(options, 'artifacts'));
  const store = new DirectoryArtifactStore(artifacts);
  const { signal, onProgress } = calls;
  let files = 0;
  let bytes = 0;
  await forEachOf(
    manifest.files,
    async (file) => {
      const source = locateIn(folder, file);
      const key = file.path.startsWith(`${objectFolder}/`)
        ? file.path.slice(objectFolder.length + 1)
        : undefined;
      if (key !== undefined) await putArtifact(store, key, source, file, folder);
      else await copyChecked(source, join(stage, targetOf(file, options)), file, folder);
      files += 1;
      bytes += file.bytes;
      onProgress?.({ stage: 'artifacts', files, ofFiles: manifest.files.length, bytes });
    },
    signal,
  );
  if (manifest.database === 'postgres') await rm(join(stage, databaseFiles.postgres));
  await rm(join(artifacts, 'incoming'), { recursive: true, force: true });
}

function targetOf({ path }: BackupFile, options: ServerOptions): string {
  return path === databaseFiles.sqlite ? pathInData(options, 'database') : path;
}

/** A file of a backup; links that lead out of it are refused. @throws backup.corrupt */
function locateIn(folder: string, { path }: BackupFile): string {
  try {
    const source = resolveInside(folder, path);
    if (existsSync(source)) return source;
  } catch (error) {
    throw damaged(folder, path, isAppError(error) ? error.message : String(error), error);
  }
  throw damaged(folder, path, 'it is missing');
}

async function putArtifact(
  store: DirectoryArtifactStore,
  key: string,
  source: string,
  file: BackupFile,
  folder: string,
): Promise<void> {
  try {
    await store.put(key, createReadStream(source), { bytes: file.bytes, sha256: file.sha256 });
  } catch (error) {
    if (isAppError(error) && error.code === 'artifact.mismatch')
      throw damaged(folder, file.path, 'its size or sha256 is not the listed one', error);
    throw error;
  }
}

async function copyChecked(source: string, target: string, file: BackupFile, folder: string): Promise<void> {
  const found = await copyFile(source, target);
  if (found.bytes !== file.bytes || found.sha256 !== file.sha256)
    throw damaged(folder, file.path, 'its size or sha256 is not the listed one');
}
