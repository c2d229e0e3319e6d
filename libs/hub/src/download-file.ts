/** @file Downloads one file into the cache: resumes what an earlier process began, checks it, and only then names it. */
import { createHash } from 'node:crypto';
import {
  createReadStream,
  existsSync,
  mkdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { AppError, isAppError } from '@espalier/contracts';
import { createLock, describeOwner, type Lock, syncPath } from '@espalier/files';
import { fileDownloadInfo } from '@huggingface/hub';
import type { ProgressMeter } from './download-progress.js';
import type { RepositoryCache } from './hub-cache.js';
import {
  createHubFetch,
  type HubRequests,
  unexpectedAnswer,
  unreachable,
  withPatience,
} from './hub-requests.js';
import type { HubSettings } from './hub-settings.js';
import type { HubFile } from './needed-files.js';

/** Where files of a commit come from. */
export interface FileSource extends HubRequests {
  readonly what: string;
  /** owner/name */
  readonly repository: string;
  readonly commit: string;
  readonly settings: HubSettings;
}

export interface FileDownload extends FileSource {
  readonly cache: RepositoryCache;
  readonly meter: ProgressMeter;
}

/** Where a file is until it is complete; Python's library, which shares the cache, writes to `<hash>.incomplete`. */
export const partOf = (cache: RepositoryCache, { hash }: HubFile): string =>
  `${cache.blob(hash)}.espalier.incomplete`;

/**
 * Downloads a file and links it into the snapshot of its commit. Of several processes one downloads, the others wait.
 *
 * @throws hub.*; the reason of `signal`
 */
export async function downloadFile(file: HubFile, download: FileDownload): Promise<void> {
  const { cache, commit, meter } = download;
  const blob = cache.blob(file.hash);
  if (existsSync(blob)) meter.skip(file.bytes);
  else {
    const lock = await waitForLock(file, download);
    try {
      if (existsSync(blob)) meter.add(file.name, file.bytes);
      else await fill(file, download);
    } finally {
      lock.release();
    }
  }
  cache.link(file.hash, commit, file.name);
}

const lockPollMs = 200;

async function waitForLock(
  { name, hash }: HubFile,
  { cache, what, signal, onNote }: FileDownload,
): Promise<Lock> {
  const path = cache.lock(hash);
  mkdirSync(dirname(path), { recursive: true });
  for (let isFirst = true; ; isFirst = false) {
    try {
      return createLock(
        path,
        (owner) =>
          new AppError('hub.busy', `${what}: ${name} is being downloaded by ${describeOwner(owner)}`),
      );
    } catch (error) {
      if (!isAppError(error) || error.code !== 'hub.busy') throw error;
      if (isFirst) onNote(`${error.message}; waiting for it (if that process is gone, delete "${path}")`);
    }
    await wait(lockPollMs, undefined, { signal });
  }
}

/** Downloads, checks and names the blob. What does not match is deleted and downloaded once more from its start. */
async function fill(file: HubFile, download: FileDownload): Promise<void> {
  const { cache, what, meter, onNote } = download;
  const part = partOf(cache, file);
  mkdirSync(dirname(part), { recursive: true });
  if (existsSync(part) && statSync(part).size > file.bytes) rmSync(part);
  if (existsSync(part)) meter.skip(statSync(part).size);
  // an empty file has no range that could be asked for
  else if (file.bytes === 0) writeFileSync(part, '');
  for (let isRetry = false; ; isRetry = true) {
    await receive(file, part, download);
    if ((await hashOf(part, file, download.signal)) === file.hash) break;
    rmSync(part);
    meter.add(file.name, -file.bytes);
    const finding = `${what}: ${file.name} does not have the ${file.hashKind} that the hub states`;
    if (isRetry)
      throw new AppError(
        'hub.corrupt',
        `${finding}, twice; try again later or another revision, a proxy may change files`,
      );
    onNote(`${finding}; downloading it again`);
  }
  syncPath(part, 'r+');
  renameSync(part, cache.blob(file.hash));
}

/** Appends to a part until it is complete. A broken connection is resumed, as long as something arrives. */
async function receive(file: HubFile, part: string, download: FileDownload): Promise<void> {
  const { retries, what, signal, onNote } = download;
  for (let failures = 0; ;) {
    const before = existsSync(part) ? statSync(part).size : 0;
    if (before === file.bytes && existsSync(part)) return;
    const broken = await append(file, part, before, download);
    const after = statSync(part).size;
    if (after === file.bytes) return;
    failures = after > before ? 1 : failures + 1;
    const error = broken ?? new AppError('hub.offline', `${what}: ${file.name} broke off`);
    if (failures >= retries.tries) throw error;
    onNote(`${what}: ${file.name} broke off at ${after} of ${file.bytes} bytes; resuming`);
    await wait(retries.delayMs * 2 ** (failures - 1), undefined, { signal });
  }
}

/** @returns the error that ended the transfer */
async function append(
  file: HubFile,
  part: string,
  from: number,
  download: FileDownload,
): Promise<AppError | undefined> {
  const { what, signal, meter } = download;
  const response = await askForFile(file, from === 0 ? undefined : `bytes=${from}-`, download);
  const isPartial = response.status === 206;
  if (from > 0 && !isPartial) meter.add(file.name, -from);
  const handle = await open(part, from > 0 && isPartial ? 'a' : 'w');
  try {
    await copyBody(response, handle, isPartial ? file.bytes - from : file.bytes, file.name, download);
    signal.throwIfAborted();
    return undefined;
  } catch (error) {
    signal.throwIfAborted();
    if ((error as NodeJS.ErrnoException).syscall === 'write') throw error;
    return unreachable(what, error);
  } finally {
    await handle.close();
  }
}

/** Asks for the contents of a file, or for a range of them. @throws hub.* */
export async function askForFile(
  file: HubFile,
  range: string | undefined,
  source: FileSource,
): Promise<Response> {
  const { what, repository, commit, settings } = source;
  const { endpoint, token } = settings;
  const fetch = createHubFetch(what, source);
  const info = await fileDownloadInfo({
    repo: { type: 'model', name: repository },
    path: file.name,
    revision: commit,
    hubUrl: endpoint,
    fetch,
    ...(token === undefined ? {} : { accessToken: token }),
  }).catch((error: unknown) => {
    throw unexpectedAnswer(what, error);
  });
  if (info === null || info.size !== file.bytes)
    throw new AppError(
      'hub.corrupt',
      `${what}: ${file.name} has ${info === null ? 'no contents' : `${info.size} bytes`}, its list of files says ${file.bytes}; try again later`,
    );
  const isOwn = new URL(info.url).origin === new URL(endpoint).origin;
  return fetch(info.url, {
    headers: {
      'accept-encoding': 'identity',
      ...(range === undefined ? {} : { range }),
      ...(token !== undefined && isOwn ? { authorization: `Bearer ${token}` } : {}),
    },
  });
}

async function copyBody(
  response: Response,
  handle: FileHandle,
  most: number,
  name: string,
  { retries, meter, signal }: FileDownload,
): Promise<void> {
  const reader = response.body?.getReader();
  if (reader === undefined) return;
  let left = most;
  for (;;) {
    const read = await withPatience(reader.read(), retries.idleMs, signal);
    if (read === undefined || read.done) {
      void reader.cancel().catch(() => undefined);
      return;
    }
    const piece = (read.value as Uint8Array).subarray(0, left);
    await handle.writeFile(piece);
    left -= piece.length;
    meter.add(name, piece.length);
  }
}

async function hashOf(path: string, { hashKind, bytes }: HubFile, signal: AbortSignal): Promise<string> {
  const hash = createHash(hashKind === 'sha256' ? 'sha256' : 'sha1');
  if (hashKind === 'git-blob') hash.update(`blob ${bytes}\0`);
  for await (const chunk of createReadStream(path, { highWaterMark: 1 << 20, signal }))
    hash.update(chunk as Buffer);
  return hash.digest('hex');
}
