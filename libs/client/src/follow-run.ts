/**
 * @file Follows a run live over socket.io. Every record of a run has a cursor, so the follower knows what it has:
 * after a broken connection, or when the server says that it was too slow, it asks again from its last cursor, and
 * nothing is missing or doubled.
 */
import { type FollowAnswer, type FollowMessage, restingStates } from '@espalier/protocol';
import type { StreamBatch, StreamProgress } from '@espalier/protocol';
import { type Connection, refused } from './connection.js';
import { cutBatch } from './cut-batch.js';
import { openFollowSocket } from './follow-socket.js';
import { createInbox } from './inbox.js';

/** Failures of the server that pass: its database is away, it is about to stop. */
const passingCodes = ['server.internal', 'server.database_unavailable', 'server.shutting_down'];

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
 * about it was given, unless `until` says otherwise. A server that goes away is waited for; a consumer that is slow
 * gets what it missed from history.
 *
 * @throws client.refused when there is no such run, or the key may not see it or is revoked meanwhile;
 *   client.unreachable when the server was not there at the first try
 */
export async function* followRun(
  connection: Connection,
  runId: string,
  options: FollowOptions = {},
): AsyncGenerator<StreamBatch> {
  const { metrics, onProgress, signal, until = 'rest' } = options;
  const inbox = createInbox();
  let last = options.after ?? 0;
  let asked = 0; // questions that are not answered; what comes until then may follow on an older one
  const follow = (): void => {
    const message: FollowMessage = {
      runId,
      after: last,
      ...(metrics === undefined ? {} : { metrics: [...metrics] }),
    };
    asked += 1;
    link.socket.emit('follow', message, (answer: FollowAnswer) => inbox.put({ answer }));
  };
  const onConnect = (): void => {
    asked = 0; // answers of the connection before do not come
    follow();
  };
  const link = openFollowSocket(connection, inbox, { follow: onConnect, onProgress });
  const end = (): void => inbox.put({ ended: true });
  if (signal?.aborted === true) end();
  signal?.addEventListener('abort', end, { once: true });
  let isResting = false;
  let wasAnswered = false;
  let head = Number.POSITIVE_INFINITY; // cursor at which the run was last known to be at rest or not
  try {
    for (;;) {
      const { ended, error, answer, behind, batch: arrived } = await inbox.take();
      if (ended === true) return;
      if (error !== undefined) throw error;
      if (answer?.ok === true) {
        [head, isResting, wasAnswered] = [answer.head, isAtRest(answer.state), true];
        asked = Math.max(0, asked - 1);
      } else if (answer !== undefined) {
        if (!wasAnswered || !passingCodes.includes(answer.code)) throw refused(answer.code, answer.message);
        link.retry();
      }
      const batch = arrived === undefined ? undefined : cutBatch(arrived, last);
      if (behind === true || (batch === 'gap' && asked === 0)) follow();
      if (batch !== undefined && batch !== 'gap') {
        link.settle();
        last = batch.cursor;
        for (const { kind, body } of batch.records)
          if (kind === 'state' && body['job'] !== 'evaluate') isResting = isAtRest(body['to']);
        yield batch;
      }
      if (last >= head && (until === 'now' || (until === 'rest' && isResting))) return;
    }
  } finally {
    signal?.removeEventListener('abort', end);
    link.close();
  }
}

function isAtRest(state: unknown): boolean {
  return (restingStates as readonly unknown[]).includes(state);
}
