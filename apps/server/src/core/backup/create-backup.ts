/**
 * @file Backs up the data of a server, whether it runs or not. The server writes the bytes of an artifact before its row,
 * so what a snapshot of the database names was there when it was taken. Bytes may be deleted before they are copied; then
 * the server has deleted their rows too, and another snapshot does not name them.
 */
import { readFileSync } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { AppError, isAppError } from '@espalier/contracts';
import { DirectoryArtifactStore } from '../artifacts/store/directory-artifact-store.js';
import { artifactFolder, locateData, type ServerOptions } from '../../config/server-options.js';
import {
  type BackupCalls,
  type BackupFile,
  type BackupManifest,
  databaseFiles,
  fillFolder,
  forEachOf,
  manifestFile,
  measureFile,
  objectFolder,
  smallFiles,
  writePrivate,
} from './backup-folder.js';
import { type DatabaseSnapshot, assertProgram, takeSnapshot } from './database-snapshot.js';

type Content = DatabaseSnapshot['contents'][number];
type Missing = BackupManifest['missing'][number];

/** Snapshots at most; each has only what was deleted while the one before was copied. */
const mostSnapshots = 5;

/**
 * Writes a backup into an empty or new folder, all or nothing.
 *
 * @throws backup.target_not_empty, backup.not_found, backup.no_program, backup.failed, cli.interrupted
 */
export async function createBackup(
  options: ServerOptions,
  folder: string,
  calls: BackupCalls = {},
): Promise<BackupManifest> {
  const target = {
    folder,
    operation: `back up "${options.data}" to "${folder}"`,
    remedy: 'name a new folder (--out)',
    signal: calls.signal,
  };
  return fillFolder(target, manifestFile, async (stage) => {
    if (options.database.kind === 'postgres') await assertProgram('pg_dump', options.database.url);
    const { snapshot, missing, copied } = await copyAll(options, stage, calls);
    const database = databaseFiles[options.database.kind];
    const files: BackupFile[] = [{ path: database, ...(await measureFile(join(stage, database))) }];
    files.push(...(await copySmallFiles(options.data, stage)));
    files.push(
      ...copied.map(({ key, bytes, sha256 }) => ({ path: `${objectFolder}/${key}`, bytes, sha256 })),
    );
    const { version } = JSON.parse(
      readFileSync(new URL('../../../package.json', import.meta.url), 'utf8'),
    ) as { version: string };
    const manifest: BackupManifest = {
      format: 1,
      version,
      createdAt: snapshot.createdAt,
      database: options.database.kind,
      artifactStore: describeStore(options),
      counts: { ...snapshot.counts, artifacts: snapshot.contents.length },
      missing,
      files,
    };
    await writePrivate(join(stage, manifestFile), `${JSON.stringify(manifest, undefined, 2)}\n`);
    return manifest;
  });
}

function describeStore({ artifacts: { store } }: ServerOptions): BackupManifest['artifactStore'] {
  if (store.driver === 'directory') return { driver: 'directory' };
  const { driver, bucket, prefix, endpoint } = store;
  return { driver, bucket, prefix, endpoint };
}

interface Copied {
  readonly snapshot: DatabaseSnapshot;
  readonly copied: readonly Content[];
  /** what two snapshots in a row name and the store does not have */
  readonly missing: Missing[];
}

/** Copies the database, then the artifacts that it names; again while some of them were deleted in between. */
async function copyAll(options: ServerOptions, stage: string, calls: BackupCalls): Promise<Copied> {
  const { signal, onProgress } = calls;
  const paths = locateData(options);
  const copy = new ArtifactCopy(paths.artifacts, join(stage, artifactFolder), calls);
  let before = new Set<string>();
  for (let round = 0; round < mostSnapshots; round += 1) {
    onProgress?.({ stage: 'database', files: 0, ofFiles: 1, bytes: 0 });
    const snapshot = await takeSnapshot(options.database, paths.database, stage, signal);
    signal?.throwIfAborted();
    if (options.artifacts.store.driver === 's3') return { snapshot, copied: [], missing: [] };
    const missing = await copy.update(snapshot.contents);
    const gone = new Set(missing.map(({ key }) => key));
    if (missing.every(({ key }) => before.has(key))) {
      await rm(join(stage, artifactFolder, 'incoming'), { recursive: true, force: true });
      return { snapshot, missing, copied: snapshot.contents.filter(({ key }) => !gone.has(key)) };
    }
    before = gone;
  }
  throw new AppError(
    'backup.failed',
    `back up "${options.data}": artifacts were deleted while each of ${mostSnapshots} snapshots was copied; run it again when fewer runs are deleted`,
  );
}

const lost = new Set(['artifact.not_found', 'artifact.corrupt', 'artifact.mismatch']);

/** Copies the artifacts of a backup. */
class ArtifactCopy {
  private readonly source: DirectoryArtifactStore;
  private readonly target: DirectoryArtifactStore;
  private readonly has = new Set<string>();
  private bytes = 0;

  constructor(
    from: string,
    to: string,
    private readonly calls: BackupCalls,
  ) {
    this.source = new DirectoryArtifactStore(from);
    this.target = new DirectoryArtifactStore(to);
  }

  /** Makes the copy have these and nothing else; returns those that the store lacks. */
  async update(contents: readonly Content[]): Promise<Missing[]> {
    const wanted = new Set(contents.map(({ key }) => key));
    for (const key of this.has)
      if (!wanted.has(key)) {
        await this.target.remove(key);
        this.has.delete(key);
      }
    const missing: Missing[] = [];
    const left = contents.filter(({ key }) => !this.has.has(key));
    const { signal, onProgress } = this.calls;
    await forEachOf(
      left,
      async (content) => {
        const finding = await this.copy(content);
        if (finding !== undefined) missing.push({ key: content.key, finding });
        onProgress?.({
          stage: 'artifacts',
          files: this.has.size,
          ofFiles: contents.length,
          bytes: this.bytes,
        });
      },
      signal,
    );
    return missing.sort((a, b) => (a.key < b.key ? -1 : 1));
  }

  /** Copies one; returns what is wrong with it in the store, if anything. */
  private async copy({ key, bytes, sha256 }: Content): Promise<string | undefined> {
    try {
      const content = await this.source.open(key, { bytes, sha256 });
      // a small file may be found corrupt before it is read; the reader gets the error all the same
      content.on('error', () => undefined);
      await this.target.put(key, content, { bytes, sha256 });
    } catch (error) {
      if (isAppError(error) && lost.has(error.code)) return error.message;
      throw error;
    }
    this.has.add(key);
    this.bytes += bytes;
    return undefined;
  }
}

async function copySmallFiles(data: string, stage: string): Promise<BackupFile[]> {
  const files: BackupFile[] = [];
  for (const path of smallFiles) {
    const content = await readFile(join(data, path)).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return undefined;
      throw error;
    });
    if (content === undefined) continue;
    await writePrivate(join(stage, path), content);
    files.push({ path, ...(await measureFile(join(stage, path))) });
  }
  return files;
}
