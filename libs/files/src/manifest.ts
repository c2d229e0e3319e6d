/**
 * @file Folders that are complete or absent. A manifest lists sha256 and length of every file, so that later damage is
 * detected.
 */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { AppError, isAppError, isSafePath, runLayout } from '@espalier/contracts';
import { hashFile, saveWholeFile, syncPath } from './whole-file.js';

interface Manifest {
  readonly format: 1;
  readonly files: Readonly<Record<string, { readonly sha256: string; readonly bytes: number }>>;
  /** of `files` as JSON */
  readonly sha256: string;
}

const hashFileList = (files: Manifest['files']): string =>
  createHash('sha256').update(JSON.stringify(files)).digest('hex');

/** Lists the files under a folder as relative paths with forward slashes, sorted. */
export function listFiles(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)).split(sep).join('/'))
    .sort();
}

/** Writes the manifest of a folder and makes everything in it durable. */
export function writeManifest(folder: string): void {
  const names = listFiles(folder).filter((name) => name !== runLayout.manifest);
  const files = Object.fromEntries(
    names.map((name) => {
      const path = join(folder, name);
      return [name, { sha256: hashFile(path), bytes: statSync(path).size }];
    }),
  );
  const manifest: Manifest = { format: 1, files, sha256: hashFileList(files) };
  names.forEach((name) => syncPath(join(folder, name)));
  saveWholeFile(join(folder, runLayout.manifest), JSON.stringify(manifest, null, 2));
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (entry.isDirectory()) syncPath(join(entry.parentPath, entry.name));
  }
  syncPath(folder);
}

/** Replaces `target` with a complete folder; the old one remains as `<target>.old` until the new one exists. */
export function publishFolder(complete: string, target: string): void {
  const old = `${target}.old`;
  rmSync(old, { recursive: true, force: true });
  try {
    renameSync(target, old);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
  renameSync(complete, target);
  syncPath(dirname(target));
  rmSync(old, { recursive: true, force: true });
}

function readManifest(folder: string): Manifest {
  const path = join(folder, runLayout.manifest);
  try {
    const manifest = JSON.parse(readFileSync(path, 'utf8')) as Partial<Manifest> | null;
    if (manifest?.format === 1 && isFileList(manifest.files) && isConsistent(manifest as Manifest))
      return manifest as Manifest;
  } catch (error) {
    throw corrupt(folder, `"${runLayout.manifest}" is missing or not JSON`, error);
  }
  throw corrupt(folder, `"${runLayout.manifest}" is not a complete manifest of format 1`);
}

function isConsistent({ format: _, files, sha256, ...rest }: Manifest): boolean {
  return Object.keys(rest).length === 0 && sha256 === hashFileList(files);
}

function isFileList(files: unknown): boolean {
  if (typeof files !== 'object' || files === null) return false;
  return Object.entries(files).every(
    ([name, file]: [string, unknown]) => isSafePath(name) && typeof file === 'object' && file !== null,
  );
}

function corrupt(folder: string, finding: string, cause?: unknown): AppError {
  return new AppError(
    'trainer.corrupt_checkpoint',
    `load checkpoint "${folder}": ${finding}; a checkpoint must match its manifest`,
    { details: { folder }, cause },
  );
}

/**
 * Checks every file of a folder against its manifest.
 *
 * @throws trainer.corrupt_checkpoint naming the first file that is missing, unexpected or changed
 */
export function verifyFolder(folder: string): void {
  const { files } = readManifest(folder);
  try {
    verifyFiles(folder, files);
  } catch (cause) {
    if (isAppError(cause)) throw cause;
    throw corrupt(
      folder,
      `it cannot be read (${cause instanceof Error ? cause.message : String(cause)})`,
      cause,
    );
  }
}

function verifyFiles(folder: string, files: Manifest['files']): void {
  const present = new Set(listFiles(folder).filter((name) => name !== runLayout.manifest));
  for (const [name, expected] of Object.entries(files)) {
    if (!present.delete(name)) throw corrupt(folder, `"${name}" is missing`);
    const { size } = statSync(join(folder, name));
    if (size !== expected.bytes) throw corrupt(folder, `"${name}" has ${size} bytes, not ${expected.bytes}`);
    if (hashFile(join(folder, name)) !== expected.sha256)
      throw corrupt(folder, `"${name}" has a different sha256`);
  }
  const [unexpected] = present;
  if (unexpected !== undefined) throw corrupt(folder, `"${unexpected}" is not in the manifest`);
}
