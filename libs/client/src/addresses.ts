/**
 * @file The addresses of a server and those that stand by for it. A request that a server certainly did not execute, because it
 * stands by or cannot be reached, is sent to the next one until a takeover has had time to happen.
 */
import { isAppError } from '@espalier/contracts';
import type { Connection } from './connection.js';

/** A takeover takes at most ten seconds. */
const patienceMs = 15_000;
const pauseMs = 250;

/** The request never reached a server. */
const unsent = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'UND_ERR_CONNECT_TIMEOUT']);

/** Whether an error means that no server has the request. */
export function isUnsent(error: unknown): boolean {
  if (!isAppError(error) || error.code !== 'client.unreachable') return false;
  const { cause } = error as { cause?: { cause?: { code?: unknown } } };
  return unsent.has(String(cause?.cause?.code));
}

/** Creates the connection to one server, or to the one of several that serves. */
export function createConnection(url: string | readonly string[], key: string): Connection {
  const urls = (typeof url === 'string' ? [url] : url).map((one) => one.replace(/(?<!\/)\/+$/, ''));
  let current = 0;
  return {
    key,
    count: urls.length,
    get url() {
      return urls[current] ?? '';
    },
    moveOn(from) {
      // others may have moved on already
      if (urls[current] === from) current = (current + 1) % urls.length;
    },
  };
}

/**
 * Sends a request to the server that serves.
 *
 * @param isRefused whether the answer says that the server stands by
 */
export async function sendToActive<T>(
  connection: Connection,
  send: () => Promise<T>,
  isRefused: (answer: T) => boolean | Promise<boolean>,
): Promise<T> {
  const until = performance.now() + patienceMs;
  for (;;) {
    const from = connection.url;
    let outcome: { readonly answer: T } | { readonly error: unknown };
    try {
      const answer = await send();
      if (!(await isRefused(answer))) return answer;
      outcome = { answer };
    } catch (error) {
      if (connection.count === 1 || !isUnsent(error)) throw error;
      outcome = { error };
    }
    if (performance.now() > until) {
      if ('answer' in outcome) return outcome.answer;
      throw outcome.error;
    }
    connection.moveOn(from);
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
}
