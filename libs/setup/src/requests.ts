/**
 * @file Requests to a package index, as pip makes them: with the certificates that pip is told to trust and with a name and
 * password of the address. No message shows those.
 */
import { readFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import http from 'node:http';
import https from 'node:https';
import { setTimeout as wait } from 'node:timers/promises';
import { rootCertificates } from 'node:tls';
import { AppError } from '@espalier/contracts';

export interface RequestOptions {
  /** for messages */
  readonly operation: string;
  readonly certificate: string | undefined;
  readonly signal: AbortSignal;
  readonly headers?: Readonly<Record<string, string>>;
}

/** What asking again may help with. */
export class TemporaryFailure extends Error {}

const tries = 4;
const firstDelayMs = 1000;
const idleMs = 60_000;
const mostRedirects = 10;

/** An address without name, password and query. */
export function printAddress(address: string): string {
  const { protocol, host, pathname } = new URL(address);
  return `${protocol}//${host}${pathname}`;
}

/** What a setting of pip names, which need not be an address, without a name and a password. */
export const printSetting = (place: string): string => place.slice(place.lastIndexOf('@') + 1);

/** A part of an address without its %-codes; those that stand for nothing stay, such as in `50%off`. */
export const decodeText = (text: string): string =>
  text.replaceAll(/(?:%[0-9a-f]{2})+/gi, (codes) => {
    try {
      return decodeURIComponent(codes);
    } catch {
      return codes;
    }
  });

/**
 * Asks for an address and hands the answer to `read`; repeats both when the network or the server fails.
 *
 * @throws setup.unreachable; what `read` throws as AppError
 */
export async function request<T>(
  address: string,
  options: RequestOptions,
  read: (answer: IncomingMessage, address: string) => Promise<T>,
): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    options.signal.throwIfAborted();
    try {
      const { answer, address: final } = await follow(address, options);
      const status = answer.statusCode ?? 0;
      if (status === 200) return await read(answer, final);
      answer.resume();
      throw status >= 500 || status === 429
        ? new TemporaryFailure(`it answers ${status}`)
        : refused(address, status, options);
    } catch (cause) {
      options.signal.throwIfAborted();
      if (cause instanceof AppError) throw cause;
      if (attempt >= tries) throw unreachable(address, options, cause);
      await wait(firstDelayMs * 2 ** (attempt - 1), undefined, { signal: options.signal });
    }
  }
}

async function follow(
  address: string,
  options: RequestOptions,
): Promise<{ readonly answer: IncomingMessage; readonly address: string }> {
  let at = address;
  for (let redirects = 0; redirects <= mostRedirects; redirects += 1) {
    const answer = await send(at, options);
    const { location } = answer.headers;
    if (location === undefined || ![301, 302, 303, 307, 308].includes(answer.statusCode ?? 0))
      return { answer, address: at };
    answer.resume();
    at = new URL(location, at).href;
  }
  throw new TemporaryFailure('it redirects in a circle');
}

function send(
  address: string,
  { certificate, headers, operation, signal }: RequestOptions,
): Promise<IncomingMessage> {
  const url = new URL(address);
  const trusted =
    certificate === undefined ? {} : { ca: [...rootCertificates, readCertificates(certificate, operation)] };
  const { username, password } = url;
  const auth = username === '' ? {} : { auth: `${decodeText(username)}:${decodeText(password)}` };
  // Node would decode them by itself, and fail on a %-sign
  Object.assign(url, { username: '', password: '' });
  return new Promise((resolve, reject) => {
    const options = { headers: { 'user-agent': 'espalier', ...headers }, signal, ...trusted, ...auth };
    const sent = (url.protocol === 'http:' ? http : https).get(url, options, resolve);
    sent.setTimeout(idleMs, () => sent.destroy(new TemporaryFailure(`nothing came for ${idleMs / 1000} s`)));
    sent.on('error', reject);
  });
}

/** @throws setup.unreachable */
function readCertificates(file: string, operation: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (cause) {
    throw new AppError(
      'setup.unreachable',
      `${operation}: the certificates that pip trusts, ${file}, cannot be read: ${cause instanceof Error ? cause.message : String(cause)}; set PIP_CERT to a file that can, or unset it`,
      { cause },
    );
  }
}

export const indexRemedy =
  'check PIP_INDEX_URL and PIP_FIND_LINKS, or fetch the wheel by pip download and give --wheel FILE';

const refused = (address: string, status: number, { operation }: RequestOptions): AppError =>
  new AppError(
    'setup.unreachable',
    `${operation}: ${printAddress(address)} answers ${status}; ${indexRemedy}`,
  );

function unreachable(address: string, { operation }: RequestOptions, cause: unknown): AppError {
  const finding = cause instanceof Error ? cause.message : String(cause);
  return new AppError(
    'setup.unreachable',
    `${operation}: ${printAddress(address)} cannot be read: ${finding}; ${indexRemedy}`,
    { cause },
  );
}
