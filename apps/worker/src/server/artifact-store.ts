/**
 * @file The artifacts of runs on the server, over REST: list, fetch with a check of the hash, store. One try each;
 * who calls decides about another.
 */
import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream, mkdirSync } from 'node:fs';
import { type IncomingMessage, request as requestHttp, type RequestOptions } from 'node:http';
import { request as requestHttps } from 'node:https';
import { dirname } from 'node:path';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { AppError, isSafePath } from '@espalier/contracts';

/** One file among the artifacts of a run. */
export interface StoredFile {
  /** inside the run, with forward slashes */
  readonly path: string;
  readonly bytes: number;
  readonly sha256: string;
}

/** A file of this machine, or its first bytes. */
export interface LocalFile extends StoredFile {
  readonly file: string;
}

export interface Fencing {
  readonly attemptId: string;
  readonly token: number;
}

/** Each breaks its request off when the signal is aborted, also while the server is silent. */
export interface ArtifactStore {
  /** Lists the artifacts of a run whose path begins so. */
  list(runId: string, prefix: string, signal: AbortSignal): Promise<StoredFile[]>;
  /** Fetches a file; what differs from its hash is an error and is left for the caller to remove. */
  fetch(runId: string, stored: StoredFile, target: string, signal: AbortSignal): Promise<void>;
  store(runId: string, local: LocalFile, fencing: Fencing, signal: AbortSignal): Promise<void>;
}

/** A request that the server answered with a refusal: trying again changes nothing. */
export const isRefusal = (error: unknown): boolean =>
  error instanceof AppError && error.code === 'worker.transfer_refused';

/** A refusal because the attempt belongs to somebody else. */
export const isFencedRefusal = (error: unknown): boolean =>
  isRefusal(error) && (error as AppError).details['answer'] === 'worker.fenced';

/** What is stored is missing or not what it was: trying again changes nothing, another file may be fine. */
export const isDamaged = (error: unknown): boolean =>
  isRefusal(error) || (error instanceof AppError && error.details['isDamaged'] === true);

const passing = new Set([408, 423, 425, 429]);
const idleMs = 60_000;

/** Creates the client of one server. */
export function createArtifactStore(server: string, key: string): ArtifactStore {
  const addressOf = (runId: string, path: string): URL =>
    new URL(
      `/api/v1/runs/${encodeURIComponent(runId)}/artifacts${path.split('/').map(encodeURIComponent).join('/')}`,
      server,
    );
  const authorization = `Bearer ${key}`;
  return {
    async list(runId, prefix, signal) {
      const items: StoredFile[] = [];
      for (let after: string | undefined; ;) {
        const address = addressOf(runId, '');
        address.searchParams.set('path', prefix);
        if (after !== undefined) address.searchParams.set('after', after);
        const response = await ask(address, { method: 'GET', headers: { authorization }, signal });
        const page = JSON.parse(await readText(response)) as { items: StoredFile[]; next?: string | null };
        const below = page.items.filter(({ path }) => path.startsWith(prefix));
        const unsafe = below.find(({ path }) => !isSafePath(path));
        if (unsafe !== undefined)
          throw new AppError(
            'worker.transfer_refused',
            `list artifacts of run ${runId}: the path ${JSON.stringify(unsafe.path)} is not plain and relative; delete that artifact`,
          );
        items.push(...below);
        if (typeof page.next !== 'string' || page.next === after) return items;
        after = page.next;
      }
    },
    async fetch(runId, { path, bytes, sha256 }, target, signal) {
      const response = await ask(addressOf(runId, `/${path}`), {
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
        ...{ authorization, 'content-type': 'application/octet-stream', 'content-length': bytes },
        ...{ 'x-espalier-attempt': attemptId, 'x-espalier-token': String(token) },
        'x-espalier-sha256': sha256,
      };
      const response = await ask(
        addressOf(runId, `/${path}`),
        { method: 'PUT', headers, signal },
        { file, bytes },
      );
      await readText(response);
    },
  };
}

/** Sends a request and gives the response if it is a success. */
async function ask(
  address: URL,
  options: RequestOptions,
  body?: { readonly file: string; readonly bytes: number },
): Promise<IncomingMessage> {
  const request = (address.protocol === 'https:' ? requestHttps : requestHttp)(address, options);
  request.setTimeout(idleMs, () => request.destroy(new Error(`nothing came for ${idleMs} ms`)));
  const answered = new Promise<IncomingMessage>((resolve, reject) => {
    request.once('response', resolve);
    request.once('error', reject);
  });
  const sent =
    body === undefined || body.bytes === 0
      ? Promise.resolve(void request.end())
      : pipeline(createReadStream(body.file, { start: 0, end: body.bytes - 1 }), request);
  // a refusal comes before everything was sent, and then sending fails
  sent.catch((error: NodeJS.ErrnoException) => error.code === 'ENOENT' && request.destroy(error));
  const response = await answered;
  const { statusCode = 0 } = response;
  if (statusCode >= 200 && statusCode < 300) return response;
  const text = await readText(response).catch(() => '');
  throw refusalOf(`${options.method ?? 'GET'} ${address.pathname}`, statusCode, text);
}

function refusalOf(attempt: string, status: number, text: string): AppError {
  const answer = /"(worker\.[a-z_]+)"/.exec(text)?.[1];
  const isFinal = status >= 400 && status < 500 && !passing.has(status);
  return new AppError(
    isFinal ? 'worker.transfer_refused' : 'worker.transfer_failed',
    `${attempt}: the server answers ${status}: ${text.slice(0, 300)}`,
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
