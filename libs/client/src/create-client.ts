import type { TypedDocumentNode } from '@graphql-typed-document-node/core';
import type { StreamBatch } from '@espalier/protocol';
import type { Connection } from './connection.js';
import { type FollowOptions, followRun } from './follow-run.js';
import { callRest, request } from './graphql-http.js';
import { createSubscriber } from './graphql-socket.js';

/** A server, as a program uses it. */
export interface Client {
  readonly connection: Connection;
  /** Runs a query or mutation. @throws client.unreachable, client.refused */
  request<T, V>(document: TypedDocumentNode<T, V>, variables: V): Promise<T>;
  /** Runs a subscription until the loop over it ends; reconnects by itself. */
  subscribe<T, V extends Record<string, unknown>>(
    document: TypedDocumentNode<T, V>,
    variables: V,
  ): AsyncIterable<T>;
  /** Follows a run live; each record exactly once, also over broken connections. */
  follow(runId: string, options?: FollowOptions): AsyncGenerator<StreamBatch>;
  /** Calls the REST API; for bytes. @throws client.unreachable, client.refused */
  rest(path: string, init?: RequestInit): Promise<Response>;
  /** Closes the socket of subscriptions. */
  dispose(): Promise<void>;
}

/** Creates a client; nothing is sent before the first call. */
export function createClient(given: Connection): Client {
  const connection = { ...given, url: given.url.replace(/\/+$/, '') };
  let subscriber: ReturnType<typeof createSubscriber> | undefined;
  return {
    connection,
    request: (document, variables) => request(connection, document, variables),
    subscribe: (document, variables) =>
      (subscriber ??= createSubscriber(connection)).subscribe(document, variables),
    follow: (runId, options) => followRun(connection, runId, options),
    rest: (path, init) => callRest(connection, path, init),
    dispose: async () => subscriber?.dispose(),
  };
}
