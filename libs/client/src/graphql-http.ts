/** @file Queries and mutations over HTTP. */
import type { TypedDocumentNode } from '@graphql-typed-document-node/core';
import { print } from 'graphql';
import { type Connection, refused, unexpected, unreachable } from './connection.js';
import { spellData, spellVariables } from './spell-enums.js';
import type { Answered } from './transport.js';

interface GraphqlAnswer<T> {
  readonly data?: T | null;
  readonly errors?: readonly { readonly message: string; readonly extensions?: { readonly code?: string } }[];
}

/** An error answer over REST. */
interface Told {
  readonly code?: string;
  readonly message?: string;
  readonly details?: Readonly<Record<string, unknown>>;
}

/**
 * Runs one operation.
 *
 * @throws client.unreachable, client.refused
 */
export async function request<T, V>(
  connection: Connection,
  document: TypedDocumentNode<T, V>,
  variables: V,
): Promise<Answered<T>> {
  const body = JSON.stringify({ query: print(document), variables: spellVariables(document, variables) });
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${connection.key}` };
  const response = await fetch(`${connection.url}/graphql`, { method: 'POST', headers, body }).catch(
    (cause: unknown) => {
      throw unreachable(connection.url, cause);
    },
  );
  const answer = (await response.json().catch(() => ({}))) as GraphqlAnswer<T> & Told;
  const [error] = answer.errors ?? [];
  if (error !== undefined) throw refused(error.extensions?.code ?? 'unknown', error.message);
  if (answer.data === undefined || answer.data === null) throw refusalOf(connection, response, answer);
  return spellData(document, answer.data) as Answered<T>;
}

/**
 * Calls the REST API.
 *
 * @param path starts with /api/v1
 * @throws client.unreachable, client.refused
 */
export async function callRest(
  connection: Connection,
  path: string,
  init: RequestInit = {},
): Promise<Response> {
  const headers = {
    authorization: `Bearer ${connection.key}`,
    ...(init.headers as Record<string, string> | undefined),
  };
  const response = await fetch(`${connection.url}${path}`, { ...init, headers }).catch((cause: unknown) => {
    throw unreachable(connection.url, cause);
  });
  if (response.ok) return response;
  throw refusalOf(connection, response, (await response.json().catch(() => ({}))) as Told);
}

function refusalOf({ url }: Connection, { status }: Response, { code, message, ...facts }: Told): Error {
  if (code === undefined || message === undefined) return unexpected(url, status);
  return refused(code, message, facts.details);
}
