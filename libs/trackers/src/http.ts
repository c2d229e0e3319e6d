/** @file Requests to a tracker: a time limit, and errors that tell trouble from refusal. */
import { AppError } from '@espalier/contracts';
import { fetchFailure } from '@espalier/contracts/fetch-failure';

const timeoutMs = 10_000;

export interface TrackerRequest {
  readonly method: 'GET' | 'POST';
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

/** Answers that a later try may change: a server that is overloaded, restarts, or sits behind a proxy that does. */
const isTrouble = (status: number): boolean => status === 408 || status === 429 || status >= 500;

/**
 * Sends JSON and reads JSON; an empty answer is `{}`.
 *
 * @param accepted statuses of answers that are not errors, besides 2xx
 * @throws tracker.unavailable, tracker.refused
 */
export async function requestJson(
  { method, url, headers, body }: TrackerRequest,
  accepted: readonly number[] = [],
): Promise<{ readonly status: number; readonly body: Readonly<Record<string, unknown>> }> {
  const shown = withoutSecrets(url);
  let status = 0;
  let text = '';
  try {
    const answer = await fetch(url, {
      method,
      headers: { ...headers, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      redirect: 'error',
      signal: AbortSignal.timeout(timeoutMs),
    });
    status = answer.status;
    text = await answer.text();
  } catch (cause) {
    throw new AppError(
      'tracker.unavailable',
      `${method} ${shown}: no answer (${fetchFailure(cause, timeoutMs)}); check that the tracker runs there. What is not sent stays in the run folder`,
      { cause },
    );
  }
  const isAccepted = accepted.includes(status) || (status >= 200 && status < 300);
  if (!isAccepted) {
    const code = isTrouble(status) ? 'tracker.unavailable' : 'tracker.refused';
    throw new AppError(code, `${method} ${shown}: answered ${status}: ${text.slice(0, 300).trim()}`);
  }
  return { status, body: parseObject(text, `${method} ${shown}`) };
}

function parseObject(text: string, what: string): Readonly<Record<string, unknown>> {
  if (text.trim() === '') return {};
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value))
      return value as Readonly<Record<string, unknown>>;
  } catch {
    // said below
  }
  throw new AppError(
    'tracker.refused',
    `${what}: the answer is not a JSON object: ${text.slice(0, 100).trim()}; check the address`,
  );
}

/** An address without the user's name and password. */
export function withoutSecrets(url: string): string {
  const parsed = new URL(url);
  parsed.username = '';
  parsed.password = '';
  return parsed.href;
}

/** Splits user and password off an address, which fetch refuses to send. */
export function splitCredentials(url: string): {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
} {
  const { username, password } = new URL(url);
  const plain = withoutSlash(withoutSecrets(url));
  if (username === '' && password === '') return { url: plain, headers: {} };
  return {
    url: plain,
    headers: basicAuthorization(decodeURIComponent(username), decodeURIComponent(password)),
  };
}

const withoutSlash = (url: string): string => (url.endsWith('/') ? withoutSlash(url.slice(0, -1)) : url);

export const basicAuthorization = (user: string, password: string): Readonly<Record<string, string>> => ({
  authorization: `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`,
});
