/**
 * @file One HTTP request of the Tinker API, repeated while there is trouble. Trouble passes: no connection, a dropped
 * answer, 408, 429, 5xx. A refusal does not: every other 4xx is an error at once. A repeated request carries the same
 * sequence number and idempotency key, so that a server which had already taken it does not take it twice.
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { AppError } from '@espalier/contracts';
import { fetchFailure } from '@espalier/contracts/fetch-failure';
import { protobufType } from '../wire/protobuf.js';
import { createHttpClient, type HttpAnswer, type HttpClient } from './http-client.js';

export interface TransportOptions {
  /** of the server, such as http://127.0.0.1:8000 */
  readonly url: string;
  readonly apiKey: string | undefined;
  /** how long trouble may last before it is an error */
  readonly patienceMs: number;
  /** told once in each outage that lasts, with what was found and how long it is waited for */
  readonly onTrouble?: ((message: string) => void) | undefined;
  /** asks to stop: trouble that lasts is waited out no longer */
  readonly stop?: AbortSignal | undefined;
  /** longest single request; the server answers a poll within 30 s or so */
  readonly requestMs?: number;
  /** longest answer that is read */
  readonly maxAnswerBytes?: number;
}

/** A body to send: JSON, or a message of the binary form. */
export type Body = { readonly json: unknown } | { readonly protobuf: Uint8Array };

export interface Answer {
  readonly status: number;
  /** of the binary form, else JSON */
  readonly isBinary: boolean;
  readonly bytes: Uint8Array;
}

export interface Transport {
  /**
   * Sends a request; every status from 400 on but 408, 429 and 5xx is given back, for the caller to judge.
   *
   * @param isPoll the answer may take long, and 408 means that there is none yet
   * @throws engine.unreachable, engine.overloaded, engine.denied, engine.bad_answer, engine.cancelled
   */
  send(
    path: string,
    body: Body | undefined,
    options?: { isPoll?: boolean; signal?: AbortSignal },
  ): Promise<Answer>;
  /** aborts what is on its way */
  close(): void;
}

type Trouble = {
  readonly finding: string;
  readonly isOverload: boolean;
  readonly afterMs?: number | undefined;
};

const firstDelayMs = 50;
/** Trouble that is over sooner is nobody's concern. */
const tellAfterMs = 2_000;
const longestDelayMs = 5_000;

/** Creates a transport; the key goes into a header and into no message. */
export function createTransport(options: TransportOptions): Transport {
  const closed = new AbortController();
  const base = options.url.endsWith('/') ? options.url.slice(0, -1) : options.url;
  const client = createHttpClient(base);
  let isTold = false;
  const tell = ({ finding }: Trouble, leftMs: number): void => {
    if (isTold) return;
    isTold = true;
    options.onTrouble?.(
      `engine at ${base}: ${finding}; waiting for it, ${Math.round(leftMs / 1000)} s more (engine.patienceSeconds); start the server, or correct engine.url`,
    );
  };
  return {
    async send(path, body, { isPoll = false, signal } = {}) {
      const key = randomUUID();
      const started = Date.now();
      for (let attempt = 0; ; attempt += 1) {
        const outcome = await request(base, `/api/v1/${path}`, body, {
          ...options,
          key,
          isPoll,
          attempt,
          client,
          closed,
          signal,
        });
        if ('status' in outcome) {
          isTold = false;
          return outcome;
        }
        const spent = Date.now() - started;
        const left = options.patienceMs - spent;
        const isStopped = isTold && options.stop?.aborted === true;
        if (left <= 0 || isStopped) throw givenUp(path, base, outcome, Math.min(spent, options.patienceMs));
        const delay = Math.min(outcome.afterMs ?? firstDelayMs * 2 ** attempt, longestDelayMs, left);
        if (spent + delay >= tellAfterMs) tell(outcome, left);
        await pause(delay * (0.75 + Math.random() / 2), closed, signal);
      }
    },
    close() {
      closed.abort();
      client.close();
    },
  };
}

interface Attempt extends TransportOptions {
  readonly key: string;
  readonly isPoll: boolean;
  readonly attempt: number;
  readonly client: HttpClient;
  readonly closed: AbortController;
  readonly signal: AbortSignal | undefined;
}

async function request(
  base: string,
  path: string,
  body: Body | undefined,
  attempt: Attempt,
): Promise<Answer | Trouble> {
  const { client, closed, signal, apiKey } = attempt;
  if (closed.signal.aborted) throw disposed();
  const isBinary = body !== undefined && 'protobuf' in body;
  try {
    const answer = await client.send(path, {
      method: body === undefined ? 'GET' : 'POST',
      headers: {
        accept: `${protobufType}, application/json`,
        ...(body === undefined ? {} : { 'content-type': isBinary ? protobufType : 'application/json' }),
        ...(apiKey === undefined ? {} : { 'x-api-key': apiKey }),
        'x-idempotency-key': attempt.key,
        'x-stainless-retry-count': String(attempt.attempt),
      },
      body: body === undefined ? undefined : 'protobuf' in body ? body.protobuf : JSON.stringify(body.json),
      limitMs: attempt.requestMs ?? 60_000,
      maxAnswerBytes: attempt.maxAnswerBytes ?? 2 ** 30,
      signal,
    });
    return judge(`${base}${path}`, answer, attempt);
  } catch (error) {
    if (closed.signal.aborted) throw disposed();
    if (signal?.aborted === true) throw cancelled();
    if (error instanceof AppError) throw error;
    // servers hold a poll for as long as they like
    if (attempt.isPoll && (error as Error).name === 'TimeoutError') return noResultYet;
    return { finding: `no answer (${fetchFailure(error)})`, isOverload: false };
  }
}

const noResultYet: Answer = { status: 408, isBinary: false, bytes: new Uint8Array() };

function judge(
  url: string,
  { status, headers, bytes }: HttpAnswer,
  { isPoll, apiKey }: Attempt,
): Answer | Trouble {
  const isBinary = String(headers['content-type'] ?? '').includes(protobufType);
  const answer = { status, isBinary, bytes };
  if (status === 401 || status === 403) {
    const finding =
      apiKey === undefined
        ? 'no key was sent; set TINKER_API_KEY, and TINKER_BASE_URL to this server where the run is on a worker'
        : 'the key in TINKER_API_KEY is not accepted; set another';
    throw new AppError('engine.denied', `request ${url}: ${status}, ${finding}`);
  }
  if (status === 408 && isPoll) return answer;
  const isOverload = status === 429 || status === 503;
  if (status !== 408 && !isOverload && status < 500) return answer;
  const seconds = Number(headers['retry-after'] ?? Number.NaN);
  const afterMs = Number.isFinite(seconds) ? seconds * 1000 : undefined;
  return { finding: `${status} ${describe(bytes)}`.trim(), isOverload, afterMs };
}

/** The beginning of an answer that is no result, for messages. */
export function describe(bytes: Uint8Array): string {
  const text = Buffer.from(bytes.subarray(0, 2000)).toString('utf8');
  try {
    const value = JSON.parse(text) as { readonly detail?: unknown; readonly error?: unknown };
    const finding = value.detail ?? value.error;
    if (typeof finding === 'string') return finding.slice(0, 300);
    if (finding !== undefined) return JSON.stringify(finding).slice(0, 300);
  } catch {
    // not JSON: the text itself is the finding
  }
  return text.replaceAll(/[^\x20-\x7E]+/g, ' ').slice(0, 200);
}

function givenUp(path: string, base: string, { finding, isOverload }: Trouble, spentMs: number): AppError {
  const seconds = Math.round(spentMs / 1000);
  return isOverload
    ? new AppError(
        'engine.overloaded',
        `request ${path} of ${base}: it has answered "${finding}" for ${seconds} s; try again later, or raise engine.patienceSeconds`,
      )
    : new AppError(
        'engine.unreachable',
        `request ${path} of ${base}: ${finding}, for ${seconds} s; start the server, or correct engine.url; the run resumes from its last checkpoint`,
      );
}

async function pause(ms: number, closed: AbortController, signal: AbortSignal | undefined): Promise<void> {
  try {
    await sleep(ms, undefined, {
      signal: AbortSignal.any([closed.signal, ...(signal === undefined ? [] : [signal])]),
    });
  } catch {
    throw closed.signal.aborted ? disposed() : cancelled();
  }
}

const disposed = (): AppError => new AppError('engine.disposed', 'remote engine: it was disposed');
const cancelled = (): AppError => new AppError('engine.cancelled', 'remote engine: cancelled');
