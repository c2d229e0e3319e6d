/**
 * @file Subscriptions over graphql-ws. After a broken connection a subscription is asked for again; one that reads from
 * a cursor on (`runMetrics`, `runEvents`) then goes on after the last batch that came, so nothing is missing or doubled.
 */
import type { TypedDocumentNode } from '@graphql-typed-document-node/core';
import { print } from 'graphql';
import { type Client, createClient, type ExecutionResult } from 'graphql-ws';
import { WebSocket } from 'ws';
import { type Connection, refused } from './connection.js';

export interface Subscriber {
  /**
   * Runs a subscription until the loop over it ends. A document with a variable `$after` that selects `cursor` goes on
   * after the last one when the connection was broken.
   */
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
    shouldRetry: (event) => (event as { code?: number }).code !== 4403,
  });
  return {
    async *subscribe<T, V extends Record<string, unknown>>(document: TypedDocumentNode<T, V>, variables: V) {
      for await (const { data, errors } of iterate<T>(client, document, variables)) {
        const [error] = errors ?? [];
        if (error !== undefined)
          throw refused(String(error.extensions?.['code'] ?? 'unknown'), error.message);
        if (data !== null && data !== undefined) yield data;
      }
    },
    dispose: async () => void (await client.dispose()),
  };
}

async function* iterate<T>(
  client: Client,
  document: TypedDocumentNode<T, never>,
  variables: Readonly<Record<string, unknown>>,
): AsyncGenerator<ExecutionResult<T>> {
  const results: ExecutionResult<T>[] = [];
  let state: { readonly error?: unknown } | undefined; // how it ended
  let wake: (() => void) | undefined;
  let resumed: { readonly after?: number } = {};
  const hasAfter = declaresAfter(document);
  const payload = {
    query: print(document),
    // read each time that the subscription is sent
    get variables() {
      return { ...variables, ...resumed };
    },
  };
  const stop = client.subscribe<T>(payload, {
    next(result) {
      const cursor = hasAfter ? cursorOf(result.data) : undefined;
      // when it arrives, not when it is taken: what waits here does not come again either
      if (cursor !== undefined) resumed = { after: cursor };
      results.push(result as ExecutionResult<T>);
      wake?.();
    },
    error(error) {
      state = { error };
      wake?.();
    },
    complete() {
      state ??= {};
      wake?.();
    },
  });
  try {
    for (;;) {
      const result = results.shift();
      if (result !== undefined) yield result;
      else if (state !== undefined && 'error' in state) throw errorOf(state.error);
      else if (state !== undefined) return;
      else await new Promise<void>((resolve) => (wake = resolve));
    }
  } finally {
    stop();
  }
}

function declaresAfter({ definitions }: TypedDocumentNode<unknown, never>): boolean {
  return definitions.some(
    (definition) =>
      definition.kind === 'OperationDefinition' &&
      definition.variableDefinitions?.some(({ variable }) => variable.name.value === 'after') === true,
  );
}

function cursorOf(data: unknown): number | undefined {
  const [field] = Object.values((data ?? {}) as Record<string, { readonly cursor?: unknown } | null>);
  return typeof field?.cursor === 'number' ? field.cursor : undefined;
}

/** A close code that says that no later try will do better ends a subscription. */
function errorOf(cause: unknown): unknown {
  if (cause === null || typeof cause !== 'object' || !('code' in cause) || !('reason' in cause)) return cause;
  const { code, reason } = cause as { readonly code: number; readonly reason: string };
  const told = { 4401: 'access.unauthenticated', 4403: 'access.denied' }[code] ?? `socket.${code}`;
  return refused(told, `subscribe: the server closed the socket: ${reason === '' ? String(code) : reason}`);
}
