/**
 * @file The cache of a repository, in the layout of Hugging Face's own tools, which can use it and be used by it:
 *
 *   models--owner--name/refs/<revision>           the commit of a branch or tag
 *   models--owner--name/blobs/<hash>              contents of a file; `<hash>.espalier.incomplete` while it is downloaded
 *   models--owner--name/snapshots/<commit>/<file> links to blobs
 *   .locks/models--owner--name/<hash>.espalier.lock
 */
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { isSafeName } from '@espalier/contracts';
import { saveWholeFile } from '@espalier/files';
import { indexFile, requiredFiles, shardsOf, weightsFile } from './needed-files.js';

export interface RepositoryCache {
  readonly folder: string;
  snapshot(commit: string): string;
  blob(hash: string): string;
  lock(hash: string): string;
  /** The commit that a revision had when it was last resolved. */
  readRef(revision: string): string | undefined;
  saveRef(revision: string, commit: string): void;
  /** Gives a blob its name in a snapshot. */
  link(hash: string, commit: string, name: string): void;
  /** Whether a snapshot has everything that a model needs. */
  isComplete(commit: string): boolean;
  /** Commits whose snapshots are complete, with the revisions that name them. */
  list(): readonly string[];
}

const isCommit = (text: string): boolean => /^[0-9a-f]{40}$/.test(text);

/** @param repository owner/name */
export function openRepositoryCache(cache: string, repository: string): RepositoryCache {
  const name = `models--${repository.replace('/', '--')}`;
  const folder = join(cache, name);
  const snapshot = (commit: string): string => join(folder, 'snapshots', commit);
  const blob = (hash: string): string => join(folder, 'blobs', hash);
  const ref = (revision: string): string => join(folder, 'refs', revision);
  const isComplete = (commit: string): boolean => isWhole(snapshot(commit));
  const readRef = (revision: string): string | undefined => {
    if (isCommit(revision)) return revision;
    const file = ref(revision);
    // refs/pr is a folder where refs/pr/1 was resolved
    const commit = existsSync(file) && statSync(file).isFile() ? readFileSync(file, 'utf8').trim() : '';
    return isCommit(commit) ? commit : undefined;
  };
  return {
    folder,
    snapshot,
    blob,
    lock: (hash) => join(cache, '.locks', name, `${hash}.espalier.lock`),
    readRef,
    saveRef(revision, commit) {
      if (revision !== commit && readRef(revision) !== commit) saveWholeFile(ref(revision), commit);
    },
    link: (hash, commit, file) => linkBlob(blob(hash), join(snapshot(commit), file)),
    isComplete,
    list() {
      const names = (path: string, recursive = false): string[] =>
        existsSync(path) ? readdirSync(path, { recursive, encoding: 'utf8' }) : [];
      const revisions = names(join(folder, 'refs'), true).map((name) => name.replaceAll('\\', '/'));
      return names(join(folder, 'snapshots'))
        .filter((commit) => isCommit(commit) && isComplete(commit))
        .map((commit) => {
          const named = revisions.filter((revision) => readRef(revision) === commit);
          return named.length === 0 ? commit : `${commit} (${named.join(', ')})`;
        });
    },
  };
}

function isWhole(snapshot: string): boolean {
  const has = (name: string): boolean => existsSync(join(snapshot, name));
  if (!requiredFiles.every(has)) return false;
  if (has(weightsFile)) return true;
  if (!has(indexFile)) return false;
  try {
    const shards = shardsOf(JSON.parse(readFileSync(join(snapshot, indexFile), 'utf8')));
    return shards.length > 0 && shards.every((shard) => isSafeName(shard) && has(shard));
  } catch {
    return false;
  }
}

function linkBlob(blob: string, path: string): void {
  if (existsSync(path)) return;
  mkdirSync(dirname(path), { recursive: true });
  rmSync(path, { force: true }); // a link to a blob that was deleted
  try {
    symlinkSync(relative(dirname(path), blob), path);
  } catch (error) {
    if (existsSync(path)) return; // another process was quicker
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') throw error;
    copyFileSync(blob, path); // Windows without the right to make links
  }
}
