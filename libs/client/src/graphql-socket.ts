/** @file Subscriptions over graphql-ws. */
import type { TypedDocumentNode } from '@graphql-typed-document-node/core';
import { print } from 'graphql';
import { createClient } from 'graphql-ws';
import { WebSocket } from 'ws';
import { type Connection, refused } from './connection.js';

export interface Subscriber {
  /** Runs a subscription until the loop over it ends. */
  subscribe<T, V extends Record<string, unknown>>(
    document: TypedDocumentNode<T, V>,
    variables: V,
  ): AsyncIterable<T>;
  dispose(): Promise<void>;
}

/** Opens a socket for subscriptions when the first one begins; it reconnects by itself. */
export function createSubscriber({ url, key }: Connection): Subscriber {
  const client = createClient({
    url: `${url.replace(/^http/, 'ws')}/graphql`,
    connectionParams: { key },
    webSocketImpl: WebSocket,
    retryAttempts: Number.MAX_SAFE_INTEGER,
    shouldRetry: () => true,
  });
  return {
    async *subscribe<T, V extends Record<string, unknown>>(document: TypedDocumentNode<T, V>, variables: V) {
      for await (const { data, errors } of client.iterate<T>({ query: print(document), variables })) {
        const [error] = errors ?? [];
        if (error !== undefined)
          throw refused(String(error.extensions?.['code'] ?? 'unknown'), error.message);
        if (data !== null && data !== undefined) yield data;
      }
    },
    dispose: async () => void (await client.dispose()),
  };
}
