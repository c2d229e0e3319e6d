/**
 * @file Requests to a hub: repeated when that may help, and answered with typed errors. No message has a query string,
 * because those of redirects are signed.
 */
import { setTimeout as wait } from 'node:timers/promises';
import { AppError, isAppError } from '@espalier/contracts';

export interface RetryPolicy {
  /** requests in all */
  readonly tries: number;
  /** first delay; doubles */
  readonly delayMs: number;
  /** longest delay that a server may ask for by Retry-After */
  readonly maxDelayMs: number;
  /** time without an answer, or without a byte of one */
  readonly idleMs: number;
}

export const defaultRetries: RetryPolicy = { tries: 6, delayMs: 1000, maxDelayMs: 300_000, idleMs: 60_000 };

export interface HubRequests {
  readonly retries: RetryPolicy;
  readonly signal: AbortSignal;
  readonly onNote: (message: string) => void;
}

/** More than a page of a list of files. */
const maxJsonBytes = 1 << 26;

/** What is read of an answer before it counts as one. */
type Body = 'stream' | 'json';

/**
 * Creates a `fetch` that repeats requests, for `@huggingface/hub`.
 *
 * @param what the operation, for messages
 * @param body json: an answer is read to its end, so that one that breaks off is asked for again
 * @returns a function that throws hub.offline, hub.rate_limited, hub.unavailable, hub.denied and hub.not_found
 */
export function createHubFetch(
  what: string,
  { retries, signal, onNote }: HubRequests,
  body: Body = 'stream',
): typeof fetch {
  return async (input, init) => {
    for (let tries = 1; ; tries++) {
      signal.throwIfAborted();
      const outcome = await request(what, input, init, { retries, signal, onNote, body });
      if (outcome instanceof Response) return outcome;
      const { error, afterMs = retries.delayMs * 2 ** (tries - 1) } = outcome;
      if (tries >= retries.tries || afterMs > retries.maxDelayMs) throw error;
      onNote(`${error.message.split(';')[0]}; trying again in ${Math.ceil(afterMs / 1000)} s`);
      await wait(afterMs, undefined, { signal });
    }
  };
}

interface Failure {
  readonly error: AppError;
  /** how long the server asks to wait */
  readonly afterMs?: number;
}

/** One request; an error that repeating cannot help is thrown. */
async function request(
  what: string,
  input: Parameters<typeof fetch>[0],
  init: RequestInit | undefined,
  { retries, signal, body }: HubRequests & { readonly body: Body },
): Promise<Response | Failure> {
  const patience = new AbortController();
  const timer = setTimeout(() => patience.abort(), retries.idleMs);
  let response: Response;
  try {
    response = await fetch(input, { ...init, signal: AbortSignal.any([signal, patience.signal]) });
  } catch (cause) {
    signal.throwIfAborted();
    return { error: unreachable(what, cause) };
  } finally {
    clearTimeout(timer);
  }
  if (response.ok && body === 'stream') return response;
  if (response.ok) return readJson(what, response, { retries, signal });
  await response.body?.cancel();
  const { status } = response;
  if (status === 429) {
    const afterMs = retryAfter(response);
    const error = new AppError(
      'hub.rate_limited',
      `${what}: the hub answers 429, too many requests; wait${afterMs === undefined ? '' : ` ${Math.ceil(afterMs / 1000)} s`}, or set HF_TOKEN, which has a higher limit; what was downloaded stays`,
    );
    return afterMs === undefined ? { error } : { error, afterMs };
  }
  if (status >= 500) {
    const error = new AppError(
      'hub.unavailable',
      `${what}: the hub answers ${status}; try again later, what was downloaded stays`,
    );
    return { error };
  }
  throw refusal(what, response);
}

async function readJson(
  what: string,
  response: Response,
  { retries, signal }: Pick<HubRequests, 'retries' | 'signal'>,
): Promise<Response | Failure> {
  let bytes: Uint8Array<ArrayBuffer>;
  try {
    bytes = await readBody(what, response, maxJsonBytes, retries.idleMs, signal);
  } catch (cause) {
    signal.throwIfAborted();
    const error = unreachable(what, cause);
    if (error.code !== 'hub.offline') throw error;
    return { error };
  }
  try {
    const value: unknown = JSON.parse(Buffer.from(bytes).toString('utf8'));
    if (typeof value === 'object' && value !== null) return new Response(bytes, response);
  } catch (cause) {
    throw unexpectedAnswer(what, cause);
  }
  throw unexpectedAnswer(what);
}

/**
 * Reads an answer to its end.
 *
 * @throws an error of the connection; hub.offline when nothing arrives in time; hub.unavailable when it is too long
 */
export async function readBody(
  what: string,
  response: Response,
  maxBytes: number,
  idleMs: number,
  signal: AbortSignal,
): Promise<Uint8Array<ArrayBuffer>> {
  const bytes = await readFirstBytes(what, response, maxBytes + 1, idleMs, signal);
  if (bytes.length > maxBytes) throw unexpectedAnswer(what);
  return bytes;
}

/**
 * Reads what an answer begins with, and gives up the rest.
 *
 * @throws an error of the connection; hub.offline when nothing arrives in time
 */
export async function readFirstBytes(
  what: string,
  response: Response,
  count: number,
  idleMs: number,
  signal: AbortSignal,
): Promise<Uint8Array<ArrayBuffer>> {
  const reader = response.body?.getReader();
  const pieces: Uint8Array[] = [];
  // an answer that has no more is read to its end, so that its connection can be used again
  for (let bytes = 0; reader !== undefined && bytes <= count;) {
    const read = await withPatience(reader.read(), idleMs, signal);
    if (read?.done === true) break;
    if (read === undefined) {
      void reader.cancel().catch(() => undefined);
      throw new AppError('hub.offline', `${what}: an answer broke off; check the network and HF_ENDPOINT`);
    }
    pieces.push(read.value as Uint8Array);
    bytes += (read.value as Uint8Array).length;
  }
  void reader?.cancel().catch(() => undefined);
  return Uint8Array.from(Buffer.concat(pieces).subarray(0, count));
}

function refusal(what: string, response: Response): AppError {
  const { status, headers } = response;
  const code = headers.get('x-error-code') ?? '';
  if (code === 'GatedRepo')
    return new AppError(
      'hub.denied',
      `${what}: the model is gated; accept its terms on its page, then set HF_TOKEN to a token of that account`,
    );
  if (code === 'RevisionNotFound')
    return new AppError(
      'hub.not_found',
      `${what}: the repository has no such revision; check its branches and tags`,
    );
  if (code === 'RepoNotFound' || status === 404)
    return new AppError(
      'hub.not_found',
      `${what}: there is no such repository, or it is private; check OWNER/NAME, and set HF_TOKEN for a private one`,
    );
  if (status === 401 || status === 403)
    return new AppError(
      'hub.denied',
      `${what}: the hub answers ${status}; set HF_TOKEN to a valid token that may read the repository`,
    );
  return new AppError('hub.unavailable', `${what}: the hub answers ${status}; check HF_ENDPOINT`);
}

/** The error for an answer that a hub does not give; typed errors and signals stay as they are. */
export function unexpectedAnswer(what: string, cause?: unknown): unknown {
  if (isAppError(cause) || (cause instanceof Error && cause.name === 'AbortError')) return cause;
  return new AppError(
    'hub.unavailable',
    `${what}: the answer is not that of a hub; check HF_ENDPOINT, and whether a proxy answers in its place`,
    { cause },
  );
}

/** An error for a connection that failed or broke off. */
export function unreachable(what: string, cause: unknown): AppError {
  if (isAppError(cause)) return cause;
  const { cause: inner } = cause as { cause?: { code?: string } };
  const finding = inner?.code === undefined ? 'no answer in time' : inner.code;
  return new AppError(
    'hub.offline',
    `${what}: the hub cannot be reached (${finding}); check the network and HF_ENDPOINT, what was downloaded stays`,
    { cause },
  );
}

function retryAfter({ headers }: Response): number | undefined {
  const value = headers.get('retry-after');
  if (value === null) return undefined;
  const ms = /^\d+$/.test(value) ? Number(value) * 1000 : Date.parse(value) - Date.now();
  return Number.isFinite(ms) ? Math.max(0, ms) : undefined;
}

/** @returns undefined when nothing comes in time, or at the signal, which may not reach the body of an answer */
export async function withPatience<T>(
  promise: Promise<T>,
  ms: number,
  signal: AbortSignal,
): Promise<T | undefined> {
  let end = (): void => undefined;
  const patience = new Promise<undefined>((resolve) => {
    const stop = (): void => resolve(undefined);
    const timer = setTimeout(stop, ms);
    signal.addEventListener('abort', stop);
    end = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', stop);
    };
  });
  return Promise.race([promise, patience]).finally(end);
}
