/**
 * @file Follows a run live over socket.io. Every record of a run has a cursor, so the follower knows what it has:
 * after a broken connection, or when the server says that it was too slow, it asks again from its last cursor, and
 * nothing is missing or doubled.
 */
import {
  type FollowAnswer,
  type FollowMessage,
  restingStates,
  type StreamBatch,
  type StreamProgress,
} from '@espalier/protocol';
import { io, type Socket } from 'socket.io-client';
import { type Connection, refused, unreachable } from './connection.js';
import { cutBatch } from './cut-batch.js';

export interface FollowOptions {
  /** last cursor already known; default 0: from the beginning */
  readonly after?: number;
  /** names of metrics; default all */
  readonly metrics?: readonly string[];
  /** is told where the present step is; lossy */
  readonly onProgress?: (progress: StreamProgress) => void;
  /** ends the following */
  readonly signal?: AbortSignal;
  /** when to end: when the run is at `rest` (default), when all that is known `now` was given, or `never` */
  readonly until?: 'rest' | 'now' | 'never';
}

/**
 * Follows a run: its batches in order, each record exactly once. Ends when the run has come to rest and everything
 * about it was given, unless `until` says otherwise.
 *
 * @throws client.refused when there is no such run or the key may not see it; client.unreachable when the server
 *   was not there at the first try (later it is waited for)
 */
export async function* followRun(
  connection: Connection,
  runId: string,
  options: FollowOptions = {},
): AsyncGenerator<StreamBatch> {
  const socket = io(`${connection.url}/stream`, { auth: { key: connection.key }, transports: ['websocket'] });
  const inbox = createInbox();
  let last = options.after ?? 0;
  const until = options.until ?? 'rest';
  const follow = (): void => {
    const message: FollowMessage = {
      runId,
      after: last,
      ...(options.metrics === undefined ? {} : { metrics: [...options.metrics] }),
    };
    socket.emit('follow', message, (answer: FollowAnswer) => inbox.put({ answer }));
  };
  listen(socket, connection, inbox, options, follow);
  options.signal?.addEventListener('abort', () => inbox.put({ ended: true }), { once: true });
  let isResting = false;
  let head = Number.POSITIVE_INFINITY; // cursor at which the run was last known to be at rest or not
  try {
    for (;;) {
      const item = await inbox.take();
      if (item.ended === true) return;
      if (item.error !== undefined) throw item.error;
      if (item.answer !== undefined) {
        if (!item.answer.ok) throw refused(item.answer.code, item.answer.message);
        head = item.answer.head;
        isResting = isAtRest(item.answer.state);
      }
      if (item.behind === true) follow();
      const batch = item.batch === undefined ? undefined : cutBatch(item.batch, last);
      if (batch === 'gap') follow();
      else if (batch !== undefined) {
        last = batch.cursor;
        for (const { kind, body } of batch.records)
          if (kind === 'state' && body['job'] !== 'evaluate') isResting = isAtRest(body['to']);
        yield batch;
      }
      if (last >= head && (until === 'now' || (until === 'rest' && isResting))) return;
    }
  } finally {
    socket.disconnect();
  }
}

interface Item {
  readonly batch?: StreamBatch;
  readonly answer?: FollowAnswer;
  readonly behind?: true;
  readonly error?: Error;
  readonly ended?: true;
}

function listen(
  socket: Socket,
  connection: Connection,
  inbox: Inbox,
  options: FollowOptions,
  follow: () => void,
): void {
  let wasConnected = false;
  socket.on('connect', () => {
    wasConnected = true;
    follow();
  });
  socket.on('batch', (batch: StreamBatch, done?: () => void) => {
    inbox.put({ batch });
    done?.();
  });
  socket.on('gap', () => inbox.put({ behind: true }));
  if (options.onProgress !== undefined) socket.on('progress', options.onProgress);
  socket.on('connect_error', (error: Error & { data?: { code?: string } }) => {
    const code = error.data?.code;
    if (code !== undefined) inbox.put({ error: refused(code, error.message) });
    else if (!wasConnected) inbox.put({ error: unreachable(connection.url, error) });
  });
}

interface Inbox {
  put(item: Item): void;
  take(): Promise<Item>;
}

function createInbox(): Inbox {
  const items: Item[] = [];
  let wake: (() => void) | undefined;
  return {
    put(item) {
      items.push(item);
      wake?.();
    },
    async take() {
      while (items.length === 0) await new Promise<void>((resolve) => (wake = resolve));
      return items.shift() as Item;
    },
  };
}

function isAtRest(state: unknown): boolean {
  return (restingStates as readonly unknown[]).includes(state);
}
