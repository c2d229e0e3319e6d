import type { TypedDocumentNode } from '@graphql-typed-document-node/core';

/** How typed operations reach the server. */
export interface Transport {
  /** Runs a query or mutation. @throws client.unreachable, client.refused */
  request<T, V>(document: TypedDocumentNode<T, V>, variables: V): Promise<T>;
  /** Runs a subscription until the loop over it ends. It reconnects automatically and queues a bounded number of results. */
  subscribe<T, V extends Record<string, unknown>>(
    document: TypedDocumentNode<T, V>,
    variables: V,
  ): AsyncIterable<T>;
}
