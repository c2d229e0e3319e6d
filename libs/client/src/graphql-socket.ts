/**
 * @file Subscriptions over graphql-ws. After a broken connection a subscription is asked for again; one that reads from
 * a cursor on (`runMetrics`, `runEvents`) then goes on after the last batch that came, so nothing is missing or doubled.
 * A loop that is slow holds a bounded number of results: one with a cursor is ended meanwhile and asked for again once
 * these are taken, of others the newest stay.
 */
import type { TypedDocumentNode } from '@graphql-typed-document-node/core';
import { print } from 'graphql';
import { type Client, createClient, type ExecutionResult } from 'graphql-ws';
import { WebSocket } from 'ws';
import { type Connection, refused } from './connection.js';
import { createResultQueue } from './result-queue.js';

export interface Subscriber {
  /**
   * Runs a subscription until the loop over it ends. A document with a variable `$after` that selects `cursor` goes on
   * after the last one when the connection was broken, or when the loop was slow. Others give a slow loop the newest
   * result about each `id`, and without one the newest results.
   */
  subscribe<T, V extends Record<string, unknown>>(
    document: TypedDocumentNode<T, V>,
    variables: V,
  ): AsyncIterable<T>;
  dispose(): Promise<void>;
}

/**
 * Opens a socket for subscriptions when the first one begins; it reconnects by itself.
 *
 * @param mostWaiting results of a subscription that wait to be taken, at most
 */
export function createSubscriber({ url, key }: Connection, mostWaiting = 256): Subscriber {
  const client = createClient({
    url: `${url.replace(/^http/, 'ws')}/graphql`,
    connectionParams: { key },
    webSocketImpl: WebSocket,
    retryAttempts: Number.MAX_SAFE_INTEGER,
    shouldRetry: (event) => (event as { code?: number }).code !== 4403,
  });
  return {
    async *subscribe<T, V extends Record<string, unknown>>(document: TypedDocumentNode<T, V>, variables: V) {
      for await (const { data, errors } of iterate<T>(client, document, variables, mostWaiting)) {
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
  mostWaiting: number,
): AsyncGenerator<ExecutionResult<T>> {
  const query = print(document);
  const hasAfter = declaresAfter(document) && /\bcursor\b/.test(query);
  const kind = hasAfter ? 'by-cursor' : 'newest';
  const queue = createResultQueue<ExecutionResult<T>>(mostWaiting, kind, ({ data }) => factOf(data, 'id'));
  const course: { state: 'open' | 'behind' | 'over' | { readonly error: unknown } } = { state: 'open' };
  let wake: (() => void) | undefined;
  let resumed: { readonly after?: number } = {};
  const payload = {
    query,
    // read each time that the subscription is sent
    get variables() {
      return { ...variables, ...resumed };
    },
  };
  const turn = (to: typeof course.state): void => {
    if (course.state === 'open') course.state = to;
    wake?.();
  };
  const begin = (): (() => void) => {
    let isLeft = false; // what still comes of it is not wanted
    const leave = client.subscribe<T>(payload, {
      next(result) {
        if (isLeft) return;
        if (!queue.put(result as ExecutionResult<T>)) {
          turn('behind');
          return end();
        }
        const cursor = hasAfter ? factOf<number>(result.data, 'cursor') : undefined;
        // when it arrives, not when it is taken: what waits here does not come again either
        if (cursor !== undefined) resumed = { after: cursor };
        wake?.();
      },
      error: (error) => void (isLeft || turn({ error })),
      complete: () => void (isLeft || turn('over')),
    });
    const end = (): void => {
      isLeft = true;
      leave();
    };
    return end;
  };
  let stop = begin();
  try {
    for (;;) {
      const result = queue.take();
      const { state } = course;
      if (result !== undefined) yield result;
      else if (state === 'behind') {
        course.state = 'open';
        stop = begin();
      } else if (state === 'over') return;
      else if (state !== 'open') throw errorOf(state.error);
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

/** A fact of the one thing that a subscription selects. */
function factOf<F extends number | string>(data: unknown, name: 'cursor' | 'id'): F | undefined {
  const [field] = Object.values((data ?? {}) as Record<string, Record<string, unknown> | null>);
  const fact = field?.[name];
  return typeof fact === (name === 'cursor' ? 'number' : 'string') ? (fact as F) : undefined;
}

/** A close code that says that no later try will do better ends a subscription. */
function errorOf(cause: unknown): unknown {
  if (cause === null || typeof cause !== 'object' || !('code' in cause) || !('reason' in cause)) return cause;
  const { code, reason } = cause as { readonly code: number; readonly reason: string };
  const told = { 4401: 'access.unauthenticated', 4403: 'access.denied' }[code] ?? `socket.${code}`;
  return refused(told, `subscribe: the server closed the socket: ${reason === '' ? String(code) : reason}`);
}
