/**
 * @file Requests by Node's own HTTP client. Each turn of an episode is two of them, and `fetch` takes several times the
 * processor time.
 */
import { Agent as PlainAgent, type ClientRequest, request as requestPlain } from 'node:http';
import { Agent as SecureAgent, request as requestSecure } from 'node:https';
import { AppError } from '@espalier/contracts';

export interface HttpRequest {
  readonly method: 'GET' | 'POST';
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array | string | undefined;
  readonly limitMs: number;
  /** longest answer that is read */
  readonly maxAnswerBytes: number;
  readonly signal: AbortSignal | undefined;
}

export interface HttpAnswer {
  readonly status: number;
  /** by lower-case name */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly bytes: Uint8Array;
}

export interface HttpClient {
  /**
   * Redirects are not followed.
   *
   * @param path below the base, with a slash
   * @throws engine.bad_answer where the answer is too long; a TimeoutError; what Node says of the connection
   */
  send(path: string, request: HttpRequest): Promise<HttpAnswer>;
  /** Breaks off what is on its way. */
  close(): void;
}

/** Servers close an idle connection after five seconds or later. */
const idleMs = 4_000;

/** Creates a client that keeps connections. @param base address of all requests, without a slash at its end */
export function createHttpClient(base: string): HttpClient {
  const { protocol, hostname, port, pathname, username, password } = new URL(base);
  const isSecure = protocol === 'https:';
  const target = {
    // brackets of an IPv6 address belong to the URL only
    hostname: hostname.replace(/^\[|\]$/g, ''),
    port,
    ...(username === '' ? {} : { auth: `${decodeURIComponent(username)}:${decodeURIComponent(password)}` }),
  };
  const root = pathname === '/' ? '' : pathname;
  const agent = new (isSecure ? SecureAgent : PlainAgent)({ keepAlive: true, timeout: idleMs });
  const request = isSecure ? requestSecure : requestPlain;
  const underWay = new Set<ClientRequest>();
  return {
    send: (path, { method, headers, body, limitMs, maxAnswerBytes, signal }) =>
      new Promise((resolve, reject) => {
        signal?.throwIfAborted();
        const sent = request({ ...target, path: `${root}${path}`, method, headers, agent });
        underWay.add(sent);
        // an error given to destroy is thrown where nobody listens once the socket is free again
        const fail = (error: Error): void => {
          reject(error);
          sent.destroy();
        };
        const timer = setTimeout(() => fail(new DOMException('no answer', 'TimeoutError')), limitMs);
        const abort = (): void => fail(new DOMException('aborted', 'AbortError'));
        signal?.addEventListener('abort', abort);
        sent.on('close', () => {
          clearTimeout(timer);
          signal?.removeEventListener('abort', abort);
          underWay.delete(sent);
          // of no effect where there was an answer or an error
          reject(new Error('the connection was closed'));
        });
        sent.on('error', reject);
        sent.on('response', (response) => {
          const parts: Uint8Array[] = [];
          let length = 0;
          response.on('data', (part: Uint8Array) => {
            length += part.length;
            parts.push(part);
            if (length > maxAnswerBytes) fail(tooLong(`${base}${path}`, maxAnswerBytes));
          });
          response.on('error', reject);
          response.on('end', () => {
            if (!response.complete) return;
            const { statusCode: status = 0, headers: answered } = response;
            resolve({ status, headers: answered, bytes: Buffer.concat(parts) });
          });
        });
        sent.end(body);
      }),
    close() {
      for (const sent of underWay) sent.destroy();
      agent.destroy();
    },
  };
}

const tooLong = (url: string, most: number): AppError =>
  new AppError(
    'engine.bad_answer',
    `read ${url}: the answer is longer than ${most} bytes; the server is not the one expected`,
  );
