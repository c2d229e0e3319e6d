/**
 * @file Subscriptions over graphql-ws. After a reconnect they are sent again. A subscription with a cursor (`runMetrics`,
 * `runEvents`) resumes after the last batch received, so that nothing is missing or duplicated. If the consumer is slow,
 * the queue is bounded: a subscription with a cursor is ended and resumed once the queue is empty; other subscriptions
 * keep only the newest results.
 */
import type { TypedDocumentNode } from '@graphql-typed-document-node/core';
import { print } from 'graphql/language/printer.js';
import { type Client, createClient, type ExecutionResult } from 'graphql-ws';
import { WebSocket } from '#web-socket';
import { type Connection, refused } from './connection.js';
import { spellData, spellVariables } from './spell-enums.js';
import { createResultQueue } from './result-queue.js';

export interface Subscriber {
  /**
   * Runs a subscription until the loop over it ends. A document that has a variable `$after` and selects `cursor`, or a
   * variable `$runs` and selects `runId` and `cursor`, resumes after the last cursor (of each run) when the connection
   * broke or the loop was slow. Other documents give a slow loop the newest
   * result for each `id`, or the newest results if there is no `id`.
   */
  subscribe<T, V extends Record<string, unknown>>(
    document: TypedDocumentNode<T, V>,
    variables: V,
  ): AsyncIterable<T>;
  dispose(): Promise<void>;
}

/**
 * Opens a socket when the first subscription starts; it reconnects automatically.
 *
 * @param mostWaiting maximum number of queued results per subscription
 */
export function createSubscriber(connection: Connection, mostWaiting = 256): Subscriber {
  let used = connection.url;
  const client = createClient({
    url: () => `${(used = connection.url).replace(/^http/, 'ws')}/graphql`,
    connectionParams: { key: connection.key },
    on: { closed: () => connection.moveOn(used) },
    // of several addresses one serves soon; the default waits longer each time
    ...(connection.count > 1 && { retryWait: () => new Promise((resolve) => setTimeout(resolve, 300)) }),
    webSocketImpl: WebSocket,
    retryAttempts: Number.MAX_SAFE_INTEGER,
    shouldRetry: (event) => (event as { code?: number }).code !== 4403,
  });
  return {
    async *subscribe<T, V extends Record<string, unknown>>(document: TypedDocumentNode<T, V>, variables: V) {
      const spelled = spellVariables(document, variables);
      for await (const { data, errors } of iterate<T>(client, document, spelled, mostWaiting)) {
        const [error] = errors ?? [];
        if (error !== undefined)
          throw refused(String(error.extensions?.['code'] ?? 'unknown'), error.message);
        if (data !== null && data !== undefined) yield spellData(document, data);
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
  const resume = createResume(document, query, variables);
  const kind = resume !== undefined ? 'by-cursor' : 'newest';
  const queue = createResultQueue<ExecutionResult<T>>(mostWaiting, kind, ({ data }) => factOf(data, 'id'));
  const course: { state: 'open' | 'behind' | 'over' | { readonly error: unknown } } = { state: 'open' };
  let wake: (() => void) | undefined;
  const payload = {
    query,
    // evaluated each time the subscription is sent
    get variables() {
      return { ...variables, ...resume?.variables() };
    },
  };
  const turn = (to: typeof course.state): void => {
    if (course.state === 'open') course.state = to;
    wake?.();
  };
  const begin = (): (() => void) => {
    let isLeft = false; // ignore results that still arrive
    const leave = client.subscribe<T>(payload, {
      next(result) {
        if (isLeft) return;
        if (!queue.put(result as ExecutionResult<T>)) {
          turn('behind');
          return end();
        }
        // noted on arrival, because queued results are not sent again
        resume?.note(result.data);
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

/** Where a subscription resumes. */
interface Resume {
  /** Notes the cursor of a batch. */
  note(data: unknown): void;
  /** The variables that resume after what was noted. */
  variables(): Readonly<Record<string, unknown>>;
}

/** Undefined for a subscription without cursors. */
function createResume(
  document: TypedDocumentNode<unknown, never>,
  query: string,
  { runs }: { readonly runs?: unknown },
): Resume | undefined {
  if (!/\bcursor\b/.test(query)) return undefined;
  if (declares(document, 'after')) {
    let after: number | undefined;
    return {
      note: (data) => void (after = factOf<number>(data, 'cursor') ?? after),
      variables: () => (after === undefined ? {} : { after }),
    };
  }
  if (!declares(document, 'runs') || runs === undefined || runs === null) return undefined;
  const cursors = new Map<string, number>();
  const started = (Array.isArray(runs) ? runs : [runs]) as { readonly runId: string }[];
  return {
    note(data) {
      const runId = factOf<string>(data, 'runId');
      const cursor = factOf<number>(data, 'cursor');
      if (runId !== undefined && cursor !== undefined) cursors.set(runId, cursor);
    },
    variables: () => ({
      runs: started.map((run) => {
        const after = cursors.get(run.runId);
        return after === undefined ? run : { ...run, after };
      }),
    }),
  };
}

const declares = ({ definitions }: TypedDocumentNode<unknown, never>, name: string): boolean =>
  definitions.some(
    (definition) =>
      definition.kind === 'OperationDefinition' &&
      definition.variableDefinitions?.some(({ variable }) => variable.name.value === name) === true,
  );

/** Reads a field of the object that a subscription selects. */
function factOf<F extends number | string>(data: unknown, name: 'cursor' | 'id' | 'runId'): F | undefined {
  const [field] = Object.values((data ?? {}) as Record<string, Record<string, unknown> | null>);
  const fact = field?.[name];
  return typeof fact === (name === 'cursor' ? 'number' : 'string') ? (fact as F) : undefined;
}

/** Turns a fatal close code into an error. */
function errorOf(cause: unknown): unknown {
  if (cause === null || typeof cause !== 'object' || !('code' in cause) || !('reason' in cause)) return cause;
  const { code, reason } = cause as { readonly code: number; readonly reason: string };
  const rejection = { 4401: 'access.unauthenticated', 4403: 'access.denied' }[code] ?? `socket.${code}`;
  return refused(
    rejection,
    `subscribe: the server closed the socket: ${reason === '' ? String(code) : reason}`,
  );
}
