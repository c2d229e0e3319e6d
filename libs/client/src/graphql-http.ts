/** @file Queries and mutations over HTTP. */
import type { TypedDocumentNode } from '@graphql-typed-document-node/core';
import { print } from 'graphql';
import { type Connection, refused, unreachable } from './connection.js';

interface GraphqlAnswer<T> {
  readonly data?: T | null;
  readonly errors?: readonly { readonly message: string; readonly extensions?: { readonly code?: string } }[];
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
): Promise<T> {
  const body = JSON.stringify({ query: print(document), variables });
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${connection.key}` };
  const response = await fetch(`${connection.url}/graphql`, { method: 'POST', headers, body }).catch(
    (cause: unknown) => {
      throw unreachable(connection.url, cause);
    },
  );
  const answer = (await response.json().catch(() => ({}))) as GraphqlAnswer<T> & {
    code?: string;
    message?: string;
  };
  const [error] = answer.errors ?? [];
  if (error !== undefined)
    throw refused('ask the server', error.extensions?.code ?? 'unknown', error.message);
  if (answer.data === undefined || answer.data === null)
    throw refused(
      'ask the server',
      answer.code ?? `http.${response.status}`,
      answer.message ?? `it answered with status ${response.status}`,
    );
  return answer.data;
}

/**
 * Calls the REST API.
 *
 * @param path begins with /api/v1
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
  const answer = (await response.json().catch(() => ({}))) as { code?: string; message?: string };
  const attempt = `${init.method ?? 'GET'} ${path}`;
  throw refused(
    attempt,
    answer.code ?? `http.${response.status}`,
    answer.message ?? `the server answered with status ${response.status}`,
  );
}
