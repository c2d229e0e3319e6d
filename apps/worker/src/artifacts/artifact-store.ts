/**
 * @file The artifacts of runs on the server, over REST: list, fetch with verification of the hash, store. Each call makes
 * one request; the caller decides whether to retry.
 */
import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream, mkdirSync } from 'node:fs';
import { type IncomingMessage, request as requestHttp, type RequestOptions } from 'node:http';
import { request as requestHttps } from 'node:https';
import { dirname } from 'node:path';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { AppError, isSafePath } from '@espalier/contracts';
import { findError } from '@espalier/contracts/error-codes';
import { isRecord } from '@espalier/contracts/values';

/** One file among the artifacts of a run. */
export interface StoredFile {
  /** inside the run, with forward slashes */
  readonly path: string;
  readonly bytes: number;
  readonly sha256: string;
}

/** A local file, or its first bytes. */
export interface LocalFile extends StoredFile {
  readonly file: string;
}

/** A page of a list, as the server answers it. */
interface FilePage {
  readonly items: readonly StoredFile[];
  readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string | null };
}

export interface Fencing {
  readonly attemptId: string;
  readonly token: number;
}

/** Every method cancels its request when the signal is aborted, even if the server does not respond. */
export interface ArtifactStore {
  /** Lists the artifacts of a run whose path starts with a prefix. */
  list(runId: string, prefix: string, signal: AbortSignal): Promise<StoredFile[]>;
  /** Fetches a file. @throws when it does not match its hash; the caller removes the target */
  fetch(runId: string, stored: StoredFile, target: string, signal: AbortSignal): Promise<void>;
  store(runId: string, local: LocalFile, fencing: Fencing, signal: AbortSignal): Promise<void>;
}

/** Whether the server rejected the request, so that a retry would fail too. */
export const isRefusal = (error: unknown): boolean =>
  error instanceof AppError && error.code === 'worker.transfer_refused';

/** Whether the server rejected the request because another worker has the job. */
export const isFencedRefusal = (error: unknown): boolean =>
  isRefusal(error) && (error as AppError).details['answer'] === 'worker.fenced';

/** Whether the stored file is missing or corrupt, so that a retry would fail but another file may be intact. */
export const isDamaged = (error: unknown): boolean =>
  isRefusal(error) || (error instanceof AppError && error.details['isDamaged'] === true);

/** Of whatever stands between worker and server, too. */
const retryableStatuses = new Set([408, 423, 425, 429]);
const idleMs = 60_000;

/** Creates the client of a server. @param server the address that serves now */
export function createArtifactStore(server: () => string, key: string): ArtifactStore {
  const addressOf = (runId: string, path: string): URL =>
    new URL(
      `/api/v1/runs/${encodeURIComponent(runId)}/artifacts${path.split('/').map(encodeURIComponent).join('/')}`,
      server(),
    );
  const authorization = `Bearer ${key}`;
  return {
    async list(runId, prefix, signal) {
      const items: StoredFile[] = [];
      for (let after: string | undefined; ;) {
        const address = addressOf(runId, '');
        address.searchParams.set('path', prefix);
        address.searchParams.set('first', '500');
        if (after !== undefined) address.searchParams.set('after', after);
        const response = await sendRequest(address, { method: 'GET', headers: { authorization }, signal });
        const page = JSON.parse(await readText(response)) as FilePage;
        const below = page.items.filter(({ path }) => path.startsWith(prefix));
        const unsafe = below.find(({ path }) => !isSafePath(path));
        if (unsafe !== undefined)
          throw new AppError(
            'worker.transfer_refused',
            `list artifacts of run ${runId}: the path ${JSON.stringify(unsafe.path)} is not a plain relative path; delete that artifact`,
          );
        items.push(...below);
        const { hasNextPage, endCursor } = page.pageInfo;
        if (!hasNextPage || endCursor === null || endCursor === after) return items;
        after = endCursor;
      }
    },
    async fetch(runId, { path, bytes, sha256 }, target, signal) {
      const response = await sendRequest(addressOf(runId, `/${path}`), {
        method: 'GET',
        headers: { authorization },
        signal,
      });
      mkdirSync(dirname(target), { recursive: true });
      const counted = createCounter();
      await pipeline(response, counted.stream, createWriteStream(target));
      if (counted.bytes() === bytes && counted.sha256() === sha256) return;
      throw new AppError(
        'worker.transfer_failed',
        `fetch ${path} of run ${runId}: ${counted.bytes()} bytes with sha256 ${counted.sha256()}; expected ${bytes} with ${sha256}`,
        { details: { isDamaged: true } },
      );
    },
    async store(runId, { file, path, bytes, sha256 }, { attemptId, token }, signal) {
      const headers = {
        authorization,
        'content-type': 'application/octet-stream',
        'content-length': bytes,
        'x-espalier-attempt': attemptId,
        'x-espalier-token': String(token),
        'x-espalier-sha256': sha256,
      };
      const response = await sendRequest(
        addressOf(runId, `/${path}`),
        { method: 'PUT', headers, signal },
        { file, bytes },
      );
      await readText(response);
    },
  };
}

/** Sends a request and returns the response if it succeeds. */
async function sendRequest(
  address: URL,
  options: RequestOptions,
  body?: { readonly file: string; readonly bytes: number },
): Promise<IncomingMessage> {
  const request = (address.protocol === 'https:' ? requestHttps : requestHttp)(address, options);
  request.setTimeout(idleMs, () => request.destroy(new Error(`no response for ${idleMs} ms`)));
  const answered = new Promise<IncomingMessage>((resolve, reject) => {
    request.once('response', resolve);
    request.once('error', reject);
  });
  const sent =
    body === undefined || body.bytes === 0
      ? Promise.resolve(void request.end())
      : pipeline(createReadStream(body.file, { start: 0, end: body.bytes - 1 }), request);
  // a rejection may arrive before the whole body was sent, and then sending fails
  sent.catch((error: NodeJS.ErrnoException) => error.code === 'ENOENT' && request.destroy(error));
  const response = await answered;
  const { statusCode = 0 } = response;
  if (statusCode >= 200 && statusCode < 300) return response;
  const text = await readText(response).catch(() => '');
  throw responseError(`${options.method ?? 'GET'} ${address.pathname}`, statusCode, text);
}

/** The code of a refusal; undefined for answers of something between worker and server. */
function codeOf(body: string): string | undefined {
  try {
    const parsed: unknown = JSON.parse(body);
    return isRecord(parsed) && typeof parsed['code'] === 'string' ? parsed['code'] : undefined;
  } catch {
    return undefined;
  }
}

function responseError(operation: string, status: number, text: string): AppError {
  const answer = codeOf(text);
  const mayRetry = status >= 500 || retryableStatuses.has(status) || findError(answer ?? '')?.retry === true;
  return new AppError(
    mayRetry ? 'worker.transfer_failed' : 'worker.transfer_refused',
    `${operation}: the server answered ${status}: ${text.slice(0, 300)}`,
    { details: { status, answer } },
  );
}

async function readText(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}

function createCounter(): { readonly stream: Transform; bytes(): number; sha256(): string } {
  const hash = createHash('sha256');
  let bytes = 0;
  let digest: string | undefined;
  const stream = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      hash.update(chunk);
      bytes += chunk.length;
      done(null, chunk);
    },
  });
  return { stream, bytes: () => bytes, sha256: () => (digest ??= hash.digest('hex')) };
}

/** Computes the sha256 of a file, or of its first bytes, in hexadecimal. */
export async function hashOf(file: string, bytes?: number): Promise<string> {
  const hash = createHash('sha256');
  if (bytes === 0) return hash.digest('hex');
  for await (const chunk of createReadStream(file, bytes === undefined ? {} : { end: bytes - 1 }))
    hash.update(chunk as Buffer);
  return hash.digest('hex');
}
