import type { TypedDocumentNode } from '@graphql-typed-document-node/core';

/** The data of an operation without errors: a root field is null only where it failed. */
export type Answered<T> = { [K in keyof T]: NonNullable<T[K]> };

/** How typed operations reach the server. */
export interface Transport {
  /** Runs a query or mutation; an error of any root field is thrown. @throws client.unreachable, client.refused */
  request<T, V>(document: TypedDocumentNode<T, V>, variables: V): Promise<Answered<T>>;
  /** Runs a subscription until the loop over it ends. It reconnects automatically and queues a bounded number of results. */
  subscribe<T, V extends Record<string, unknown>>(
    document: TypedDocumentNode<T, V>,
    variables: V,
  ): AsyncIterable<T>;
}
