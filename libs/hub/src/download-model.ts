/** @file Downloads a model of a hub, or finds it in the cache. */
import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { AppError, hasCode } from '@espalier/contracts';
import type { HubModel } from '@espalier/contracts/model-choice';
import { createRemovableFolder, describeObstacle, freeBytesAt } from '@espalier/files';
import { listFiles, type ListFileEntry, modelInfo } from '@huggingface/hub';
import { downloadFile, type FileSource, partOf } from './download-file.js';
import { createProgressMeter, type DownloadProgress } from './download-progress.js';
import { openRepositoryCache, type RepositoryCache } from './hub-cache.js';
import {
  createHubFetch,
  defaultRetries,
  type HubRequests,
  type RetryPolicy,
  unexpectedAnswer,
} from './hub-requests.js';
import type { HubSettings } from './hub-settings.js';
import { type HubFile, indexFile, listByName, smallFiles, weightFiles } from './needed-files.js';
import { readWeightsHead, type WeightsHead } from './weights-head.js';

export interface DownloadedModel {
  /** a model folder, to be read only: other revisions share its files */
  readonly folder: string;
  readonly commit: string;
  /** bytes of all files; undefined when nothing was asked of the hub */
  readonly bytes: number | undefined;
}

export interface DownloadOptions {
  readonly settings: HubSettings;
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: DownloadProgress) => void;
  /** receives what a person should know, such as a request that is repeated */
  readonly onNote?: (message: string) => void;
  readonly retries?: RetryPolicy;
  /** bytes that are free; default: those of the disk of the cache */
  readonly freeBytes?: number;
}

/**
 * Downloads what a model needs. A commit that is cached is used without a request; a branch or tag is resolved first,
 * or taken as it was last resolved where the hub cannot be reached.
 *
 * @throws hub.*; model.disk_full; the reason of `signal`
 */
export function downloadModel(choice: HubModel, options: DownloadOptions): Promise<DownloadedModel> {
  return openCommit<DownloadedModel>(choice, options, {
    cached: (found) => ({ ...found, bytes: undefined }),
    download: async (found, work) => ({ ...found, bytes: await downloadCommit(work) }),
  });
}

/** What is known of a model without its weights. */
export interface DescribedModel {
  /** has the configuration and the tokenizer */
  readonly folder: string;
  readonly commit: string;
  /** the files with weights; undefined when they are in the folder */
  readonly weights: readonly WeightsHead[] | undefined;
}

/** Downloads configuration and tokenizer of a model, and what its weight files begin with. @throws as {@link downloadModel} */
export function downloadDescription(choice: HubModel, options: DownloadOptions): Promise<DescribedModel> {
  return openCommit<DescribedModel>(choice, options, {
    cached: (found) => ({ ...found, weights: undefined }),
    download: async (found, work) => ({ ...found, weights: await describeCommit(work) }),
  });
}

type FoundCommit = Pick<DownloadedModel, 'folder' | 'commit'>;

interface CommitUser<T> {
  cached(found: FoundCommit): T;
  download(found: FoundCommit, work: Work): Promise<T>;
}

async function openCommit<T>(choice: HubModel, options: DownloadOptions, user: CommitUser<T>): Promise<T> {
  const what = `download hub:${choice.hub}@${choice.revision}`;
  try {
    return await findCommit(choice, what, options, user);
  } catch (error) {
    throw describeCacheFailure(what, options.settings.cache, error);
  }
}

async function findCommit<T>(
  { hub, revision }: HubModel,
  what: string,
  options: DownloadOptions,
  { cached: use, download }: CommitUser<T>,
): Promise<T> {
  const { settings, onNote = () => undefined } = options;
  const cache = openRepositoryCache(settings.cache, hub);
  const known = cache.readRef(revision);
  const cached = known !== undefined && cache.isComplete(known) ? known : undefined;
  const found = (commit: string): FoundCommit => ({ folder: cache.snapshot(commit), commit });
  if (cached === revision) return use(found(cached));
  if (settings.isOffline) {
    if (cached !== undefined) return use(found(cached));
    throw notCached(what, 'HF_HUB_OFFLINE is set', { hub, revision }, cache);
  }
  const { signal = new AbortController().signal, retries = defaultRetries } = options;
  const requests = { signal, retries, onNote };
  try {
    const commit = await resolveCommit({ hub, revision }, what, settings, requests);
    const work = { ...options, ...requests, repository: hub, commit, what, cache };
    const result = cache.isComplete(commit) ? use(found(commit)) : await download(found(commit), work);
    // a description leaves the commit without weights: offline, the branch stays the commit that has them
    if (cache.isComplete(commit)) saveRef(revision, work);
    return result;
  } catch (error) {
    if (!hasCode(error, 'hub.offline')) throw error;
    if (cached === undefined)
      throw notCached(what, (error as Error).message.split('; ')[0] ?? '', { hub, revision }, cache, error);
    onNote(`${(error as Error).message.split('; ')[0]}; using the cached commit ${cached}`);
    return use(found(cached));
  }
}

/** A cache that cannot be written has the model all the same; only its name is not known without a network. */
function saveRef(revision: string, { cache, commit, what, onNote }: Work): void {
  try {
    cache.saveRef(revision, commit);
  } catch (error) {
    const { code = (error as Error).message } = error as NodeJS.ErrnoException;
    onNote(`${what}: the cache cannot record that ${revision} is ${commit} (${code})`);
  }
}

/** What the system said about the cache, as an error with a remedy; other errors stay as they are. */
function describeCacheFailure(what: string, folder: string, error: unknown): unknown {
  const { code } = error as NodeJS.ErrnoException;
  if (error instanceof AppError || typeof code !== 'string' || !/^E[A-Z]+$/.test(code)) return error;
  const options = { details: { folder, code }, cause: error };
  return code === 'ENOSPC' || code === 'EDQUOT'
    ? new AppError(
        'model.disk_full',
        `${what}: the disk of "${folder}" is full; free space, or set HF_HUB_CACHE to a folder on another disk, what was downloaded stays`,
        options,
      )
    : new AppError(
        'hub.unusable_cache',
        `${what}: the cache "${folder}" cannot be read or written (${describeObstacle(error)}); set HF_HUB_CACHE to a folder that this user can write`,
        options,
      );
}

function notCached(
  what: string,
  reason: string,
  { hub, revision }: HubModel,
  cache: RepositoryCache,
  cause?: unknown,
): AppError {
  const cached = cache.list();
  const finding =
    cached.length === 0
      ? `nothing of ${hub} is complete in ${cache.folder}`
      : `cached are ${cached.join(', ')}; name one of them as revision, or`;
  const words = revision === 'main' ? hub : `${hub} --revision ${revision}`;
  const remedy = `${cached.length === 0 && reason.endsWith('is set') ? 'unset it, or ' : ''}download it where there is a network (\`espalier model download ${words}\`)${cached.length === 0 ? ' and copy the cache, or name a folder by path' : ''}`;
  const start = reason.startsWith(what) ? reason : `${what}: ${reason}`;
  return new AppError('hub.offline', `${start}, and ${finding}${cached.length === 0 ? ';' : ''} ${remedy}`, {
    cause,
    details: { cached: [...cached] },
  });
}

async function resolveCommit(
  { hub, revision }: HubModel,
  what: string,
  { endpoint, token }: HubSettings,
  requests: HubRequests,
): Promise<string> {
  const { sha } = await modelInfo({
    name: hub,
    revision,
    additionalFields: ['sha'],
    hubUrl: endpoint,
    fetch: createHubFetch(what, requests, 'json'),
    ...(token === undefined ? {} : { accessToken: token }),
  });
  if (/^[0-9a-f]{40}$/.test(sha)) return sha;
  throw new AppError('hub.unavailable', `${what}: the answer names no commit; check HF_ENDPOINT`);
}

type Work = DownloadOptions & FileSource & { readonly cache: RepositoryCache };

async function listRepository(work: Work): Promise<Map<string, HubFile>> {
  const { what, repository, commit, settings } = work;
  const { endpoint, token } = settings;
  const entries: ListFileEntry[] = [];
  const listing = listFiles({
    repo: { type: 'model', name: repository },
    revision: commit,
    hubUrl: endpoint,
    fetch: createHubFetch(what, work, 'json'),
    ...(token === undefined ? {} : { accessToken: token }),
  });
  try {
    for await (const entry of listing) entries.push(entry);
  } catch (error) {
    work.signal.throwIfAborted();
    throw unexpectedAnswer(what, error);
  }
  return listByName(entries);
}

/** Downloads files. @returns their bytes */
async function fetchFiles(files: readonly HubFile[], work: Work): Promise<number> {
  const { repository, commit, onProgress = () => undefined } = work;
  requireSpace(files, work);
  const ofBytes = files.reduce((sum, file) => sum + file.bytes, 0);
  const meter = createProgressMeter({ model: repository, commit, ofBytes }, onProgress);
  for (const file of files) await downloadFile(file, { ...work, meter });
  return ofBytes;
}

interface NeededFiles {
  readonly small: readonly HubFile[];
  readonly weights: readonly HubFile[];
}

/** Finds out what a model needs. The index of weights is downloaded, because it names the others. */
async function findFiles(work: Work): Promise<NeededFiles> {
  const { what, cache, commit } = work;
  const files = await listRepository(work);
  const small = smallFiles(what, files);
  const index = small.filter(({ name }) => name === indexFile);
  if (index.length === 0) return { small, weights: weightFiles(what, files, undefined) };
  await fetchFiles(index, work);
  const read: unknown = JSON.parse(readFileSync(join(cache.snapshot(commit), indexFile), 'utf8'));
  return { small, weights: weightFiles(what, files, read) };
}

/** @returns bytes of all files */
async function downloadCommit(work: Work): Promise<number> {
  const { small, weights } = await findFiles(work);
  // the weights come last, so that a snapshot with weights has everything
  return fetchFiles([...small, ...weights], work);
}

async function describeCommit(work: Work): Promise<WeightsHead[]> {
  const { small, weights } = await findFiles(work);
  await fetchFiles(small, work);
  const heads: WeightsHead[] = [];
  for (const file of weights) heads.push(await readWeightsHead(file, work));
  return heads;
}

/** Entries and blocks that are not full. */
const spareBytes = 1 << 20;

function requireSpace(files: readonly HubFile[], { what, cache, freeBytes, settings }: Work): void {
  const missing = files.filter(({ hash }) => !existsSync(cache.blob(hash)));
  const bytes = missing.reduce((sum, file) => {
    const part = partOf(cache, file);
    return sum + file.bytes - Math.min(file.bytes, existsSync(part) ? statSync(part).size : 0);
  }, 0);
  createRemovableFolder(cache.folder);
  const free = freeBytes ?? freeBytesAt(cache.folder);
  if (bytes === 0 || bytes + spareBytes <= free) return;
  const mebibytes = (count: number): string => `${Math.ceil(count / 2 ** 20)} MiB`;
  throw new AppError(
    'model.disk_full',
    `${what}: it takes ${mebibytes(bytes)}, but the disk of "${settings.cache}" has ${mebibytes(free)} free; free space, or set HF_HUB_CACHE to a folder on another disk`,
    { details: { bytes, freeBytes: free } },
  );
}
