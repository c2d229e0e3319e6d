/** @file Downloads a model of a hub, or finds it in the cache. */
import { existsSync, mkdirSync, readFileSync, statfsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { AppError, hasCode } from '@espalier/contracts';
import type { HubModel } from '@espalier/contracts/model-choice';
import { listFiles, type ListFileEntry, modelInfo } from '@huggingface/hub';
import { downloadFile, partOf } from './download-file.js';
import { createProgressMeter, type DownloadProgress } from './download-progress.js';
import { openRepositoryCache, type RepositoryCache } from './hub-cache.js';
import { createHubFetch, defaultRetries, type HubRequests, type RetryPolicy } from './hub-requests.js';
import type { HubSettings } from './hub-settings.js';
import { type HubFile, indexFile, listByName, smallFiles, weightFiles } from './needed-files.js';

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
 * @throws hub.*; model.disk_full before anything is downloaded; the reason of `signal`
 */
export async function downloadModel(
  { hub, revision }: HubModel,
  options: DownloadOptions,
): Promise<DownloadedModel> {
  const { settings, onNote = () => undefined } = options;
  const what = `download hub:${hub}@${revision}`;
  const cache = openRepositoryCache(settings.cache, hub);
  const known = cache.readRef(revision);
  const cached = known !== undefined && cache.isComplete(known) ? known : undefined;
  const found = (commit: string): DownloadedModel => ({
    folder: cache.snapshot(commit),
    commit,
    bytes: undefined,
  });
  if (cached === revision) return found(cached);
  if (settings.isOffline) {
    if (cached !== undefined) return found(cached);
    throw notCached(what, 'HF_HUB_OFFLINE is set', hub, cache);
  }
  const { signal = new AbortController().signal, retries = defaultRetries } = options;
  const requests = { signal, retries, onNote };
  try {
    const commit = await resolveCommit({ hub, revision }, what, settings, requests);
    const bytes = cache.isComplete(commit)
      ? undefined
      : await downloadCommit(hub, commit, what, cache, { ...options, ...requests });
    cache.saveRef(revision, commit);
    return { folder: cache.snapshot(commit), commit, bytes };
  } catch (error) {
    if (!hasCode(error, 'hub.offline')) throw error;
    if (cached === undefined)
      throw notCached(what, (error as Error).message.split('; ')[0] ?? '', hub, cache, error);
    onNote(`${(error as Error).message.split('; ')[0]}; using the cached commit ${cached}`);
    return found(cached);
  }
}

function notCached(
  what: string,
  reason: string,
  hub: string,
  cache: RepositoryCache,
  cause?: unknown,
): AppError {
  const cached = cache.list();
  const finding =
    cached.length === 0
      ? `nothing of ${hub} is complete in ${cache.folder}`
      : `cached are ${cached.join(', ')}; name one of them as revision, or`;
  const remedy = `download it where there is a network (\`espalier model download ${hub}\`)${cached.length === 0 ? ' and copy the cache, or name a folder by path' : ''}`;
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
    fetch: createHubFetch(what, requests),
    ...(token === undefined ? {} : { accessToken: token }),
  });
  if (/^[0-9a-f]{40}$/.test(sha)) return sha;
  throw new AppError('hub.unavailable', `${what}: the answer names no commit; check HF_ENDPOINT`);
}

type Work = DownloadOptions & HubRequests;

/** @returns bytes of all files */
async function downloadCommit(
  hub: string,
  commit: string,
  what: string,
  cache: RepositoryCache,
  options: Work,
): Promise<number> {
  const { settings, onProgress = () => undefined } = options;
  const { endpoint, token } = settings;
  const entries: ListFileEntry[] = [];
  const listing = listFiles({
    repo: { type: 'model', name: hub },
    revision: commit,
    hubUrl: endpoint,
    fetch: createHubFetch(what, options),
    ...(token === undefined ? {} : { accessToken: token }),
  });
  for await (const entry of listing) entries.push(entry);
  const files = listByName(entries);
  const small = smallFiles(what, files);
  const fetchAll = async (wanted: readonly HubFile[], all: readonly HubFile[]): Promise<number> => {
    requireSpace(what, wanted, cache, options);
    const ofBytes = all.reduce((sum, file) => sum + file.bytes, 0);
    const meter = createProgressMeter({ model: hub, commit, ofBytes }, onProgress);
    for (const file of all)
      await downloadFile(file, { ...options, what, repository: hub, commit, cache, meter });
    return ofBytes;
  };
  // the weights come last, so that a snapshot with weights has everything
  if (files.has('model.safetensors')) {
    const all = [...small, ...weightFiles(what, files, undefined)];
    return fetchAll(all, all);
  }
  await fetchAll(small, small);
  const index: unknown = JSON.parse(readFileSync(join(cache.snapshot(commit), indexFile), 'utf8'));
  const weights = weightFiles(what, files, index);
  return fetchAll(weights, [...small, ...weights]);
}

/** Entries and blocks that are not full. */
const spareBytes = 1 << 20;

function requireSpace(
  what: string,
  files: readonly HubFile[],
  cache: RepositoryCache,
  { freeBytes, settings }: Work,
): void {
  const missing = files.filter(({ hash }) => !existsSync(cache.blob(hash)));
  const bytes = missing.reduce((sum, file) => {
    const part = partOf(cache, file);
    return sum + file.bytes - Math.min(file.bytes, existsSync(part) ? statSync(part).size : 0);
  }, 0);
  mkdirSync(cache.folder, { recursive: true });
  const free = freeBytes ?? freeBytesAt(cache.folder);
  if (bytes === 0 || bytes + spareBytes <= free) return;
  const mebibytes = (count: number): string => `${Math.ceil(count / 2 ** 20)} MiB`;
  throw new AppError(
    'model.disk_full',
    `${what}: it takes ${mebibytes(bytes)}, but the disk of "${settings.cache}" has ${mebibytes(free)} free; free space, or set HF_HUB_CACHE to a folder on another disk`,
    { details: { bytes, freeBytes: free } },
  );
}

function freeBytesAt(folder: string): number {
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize;
}
