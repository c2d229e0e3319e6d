/** @file Queries and mutations over HTTP. */
import type { TypedDocumentNode } from '@graphql-typed-document-node/core';
// the whole package is a hundred modules
import { print } from 'graphql/language/printer.js';
import { sendToActive } from './addresses.js';
import { type Connection, refused, unexpected, unreachable } from './connection.js';
import { retryLost } from './retry-lost.js';
import { spellData, spellVariables } from './spell-enums.js';
import type { Answered } from './transport.js';

interface GraphqlAnswer<T> {
  readonly data?: T | null;
  readonly errors?: readonly { readonly message: string; readonly extensions?: { readonly code?: string } }[];
}

/** An error answer over REST. */
interface Rejection {
  readonly code?: string;
  readonly message?: string;
  readonly details?: Readonly<Record<string, unknown>>;
}

/**
 * Runs one operation. One whose input has an idempotency key is sent again when its answer is lost.
 *
 * @throws client.unreachable, client.refused
 */
export async function request<T, V>(
  connection: Connection,
  document: TypedDocumentNode<T, V>,
  variables: V,
): Promise<Answered<T>> {
  const { input } = variables as { input?: { idempotencyKey?: unknown } | null };
  const body = JSON.stringify({ query: print(document), variables: spellVariables(document, variables) });
  // a query changes nothing, so it may be sent to another server when its answer is lost
  const isQuery = document.definitions.some(
    (one) => one.kind === 'OperationDefinition' && one.operation === 'query',
  );
  const isKnownAgain = typeof input?.idempotencyKey === 'string' || (isQuery && connection.count > 1);
  const { status, answer } = await retryLost(
    () =>
      sendToActive(
        connection,
        () => post(connection, body),
        (one) => one.status === 503 && (one.answer as Rejection).code === 'server.standby',
      ),
    isKnownAgain,
  );
  const { data, errors } = answer as GraphqlAnswer<T>;
  const [error] = errors ?? [];
  if (error !== undefined) throw refused(error.extensions?.code ?? 'unknown', error.message);
  if (data === undefined || data === null) throw refusalOf(connection, { status }, answer as Rejection);
  return spellData(document, data) as Answered<T>;
}

async function post({ url, key }: Connection, body: string): Promise<{ status: number; answer: unknown }> {
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${key}` };
  try {
    const response = await fetch(`${url}/graphql`, { method: 'POST', headers, body });
    return { status: response.status, answer: parseOrNothing(await response.text()) };
  } catch (cause) {
    throw unreachable(url, cause);
  }
}

function parseOrNothing(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return {};
  }
}

/**
 * Calls the REST API. A request with the header `idempotency-key` is sent again when its answer is lost.
 *
 * @param path starts with /api/v1
 * @throws client.unreachable, client.refused
 */
export async function callRest(
  connection: Connection,
  path: string,
  init: RequestInit = {},
): Promise<Response> {
  const given = init.headers as Record<string, string> | undefined;
  const headers = { authorization: `Bearer ${connection.key}`, ...given };
  const send = (): Promise<Response> =>
    fetch(`${connection.url}${path}`, { ...init, headers }).catch((cause: unknown) => {
      throw unreachable(connection.url, cause);
    });
  const isStandby = async (answer: Response): Promise<boolean> =>
    answer.status === 503 &&
    (parseOrNothing(await answer.clone().text()) as Rejection).code === 'server.standby';
  // a stream can be read once
  const isOnce = init.body !== undefined && init.body !== null && typeof init.body !== 'string';
  const response = await retryLost(
    () => (isOnce ? send() : sendToActive(connection, send, isStandby)),
    given?.['idempotency-key'] !== undefined,
  );
  if (response.ok) return response;
  throw refusalOf(connection, response, parseOrNothing(await response.text()) as Rejection);
}

function refusalOf(
  { url }: Connection,
  { status }: Pick<Response, 'status'>,
  { code, message, ...facts }: Rejection,
): Error {
  if (code === undefined || message === undefined) return unexpected(url, status);
  return refused(code, message, facts.details);
}
