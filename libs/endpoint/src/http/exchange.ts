/** @file One HTTP request: its body read within a limit, its caller checked, its answer or events written. */
import { timingSafeEqual } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { AppError, isAppError } from '@espalier/contracts';
import { errorCodes } from '@espalier/contracts/error-codes';

const maxBodyBytes = 32 * 2 ** 20;
const loopback = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d+)?$/;

/** Reads a JSON body; undefined where there is none. @throws endpoint.too_large, endpoint.invalid_request */
export async function readJson(request: IncomingMessage): Promise<unknown> {
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of request as AsyncIterable<Buffer>) {
    bytes += part.length;
    if (bytes > maxBodyBytes)
      throw new AppError('endpoint.too_large', `body: more than ${maxBodyBytes} bytes; send less`);
    parts.push(part);
  }
  if (bytes === 0) return undefined;
  try {
    return JSON.parse(Buffer.concat(parts).toString('utf8'));
  } catch (cause) {
    throw new AppError('endpoint.invalid_request', `body: it is not JSON (${(cause as Error).message})`, {
      cause,
    });
  }
}

/** The key that a client sends, as OpenAI's or as Anthropic's do. */
function sentKey({ headers }: IncomingMessage): string {
  const { authorization, 'x-api-key': key } = headers;
  if (typeof key === 'string') return key;
  return /^Bearer (.*)$/i.exec(authorization ?? '')?.[1] ?? '';
}

/**
 * Checks the caller.
 *
 * @param apiKey what clients must send; undefined: who reaches a loopback address may call
 * @returns the session that the key names: what follows its last slash
 * @throws endpoint.unauthorized
 */
export function admitCaller(request: IncomingMessage, apiKey: string | undefined): string | undefined {
  const sent = sentKey(request);
  const slash = sent.lastIndexOf('/');
  const session = slash < 0 ? undefined : sent.slice(slash + 1);
  if (apiKey === undefined) {
    // a page in a browser must not reach it through a name of its own, or from another page
    const { host = '', origin } = request.headers;
    const isForeign = origin !== undefined && !loopback.test(origin.replace(/^https?:\/\//, ''));
    if (loopback.test(host) && !isForeign) return session;
    throw new AppError(
      'endpoint.unauthorized',
      'call: without an API key only programs of this machine may call; give the endpoint a key',
    );
  }
  const key = session !== undefined && !isSame(sent, apiKey) ? sent.slice(0, slash) : sent;
  if (!isSame(key, apiKey))
    throw new AppError(
      'endpoint.unauthorized',
      'call: the API key is missing or wrong; send the key of this endpoint',
    );
  return key === sent ? undefined : session;
}

function isSame(one: string, other: string): boolean {
  const a = Buffer.from(one);
  const b = Buffer.from(other);
  return a.length === b.length && timingSafeEqual(a, b);
}

/** The status of an error, and the error with a code. */
export function describeFailure(thrown: unknown): { readonly error: AppError; readonly status: number } {
  if (isAppError(thrown)) return { error: thrown, status: errorCodes[thrown.code].status ?? 500 };
  const message = thrown instanceof Error ? thrown.message : String(thrown);
  return { error: new AppError('endpoint.failed', `answer: ${message}`, { cause: thrown }), status: 500 };
}

/** Sends JSON; resolves to whether the client took it. */
export function sendJson(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): Promise<boolean> {
  if (response.destroyed) return Promise.resolve(false);
  const retry = status === 429 || status === 503 ? { 'retry-after': '1' } : {};
  response.writeHead(status, { 'content-type': 'application/json; charset=utf-8', ...retry, ...headers });
  return finish(response, `${JSON.stringify(body)}\n`);
}

/** Begins server-sent events. */
export function openEvents(response: ServerResponse, headers: Readonly<Record<string, string>>) {
  response.writeHead(200, {
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-cache',
    'x-accel-buffering': 'no',
    ...headers,
  });
  return {
    send(data: unknown, event?: string): void {
      const named = event === undefined ? '' : `event: ${event}\n`;
      response.write(`${named}data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`);
    },
    end: () => finish(response),
  };
}

function finish(response: ServerResponse, text?: string): Promise<boolean> {
  return new Promise((resolve) => {
    response.once('close', () => resolve(response.writableFinished));
    response.once('finish', () => resolve(true));
    if (text === undefined) response.end();
    else response.end(text);
    if (response.destroyed) resolve(false);
  });
}
