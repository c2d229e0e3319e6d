/**
 * @file Follows a run live over socket.io. Every record of a run has a cursor. After a reconnect, or when the server
 * reports that the follower was too slow, it requests the records after its last cursor again, so that none is missing or
 * duplicated.
 */
import { type FollowAnswer, type FollowMessage, stoppedStates } from '@espalier/protocol';
import type { StreamBatch, StreamProgress } from '@espalier/protocol';
import { type Connection, refused } from './connection.js';
import { cutBatch } from './cut-batch.js';
import { openFollowSocket } from './follow-socket.js';
import { createInbox } from './inbox.js';

/** Jobs of a run beside its training. */
const besides = new Set<unknown>(['evaluate', 'chat']);

/** Transient failures of the server: its database is unavailable, or it is shutting down. */
const transientCodes = ['server.internal', 'server.database_unavailable', 'server.shutting_down'];

export interface FollowOptions {
  /** last known cursor; default 0: from the beginning */
  readonly after?: number;
  /** names of metrics; default all */
  readonly metrics?: readonly string[];
  /** called with the progress of the current step; lossy */
  readonly onProgress?: (progress: StreamProgress) => void;
  /** stops following */
  readonly signal?: AbortSignal;
  /** when to end: when the run has `stopped` (default), when all that is known `now` was given, or `never` */
  readonly until?: 'stopped' | 'now' | 'never';
}

/**
 * Follows a run and yields its batches in order, each record exactly once. Ends when the run has stopped and all its
 * records were yielded, unless `until` says otherwise. It waits for a server that goes away; a slow consumer gets what it
 * missed from the history.
 *
 * @throws client.refused when the run does not exist or is deleted, or the key may not see it or is revoked in the
 *   meantime; client.unreachable when the first attempt to connect fails
 */
export async function* followRun(
  connection: Connection,
  runId: string,
  options: FollowOptions = {},
): AsyncGenerator<StreamBatch> {
  const { metrics, onProgress, signal, until = 'stopped' } = options;
  const inbox = createInbox();
  let last = options.after ?? 0;
  let pending = 0; // unanswered requests; batches that arrive meanwhile may belong to an older one
  const follow = (): void => {
    const message: FollowMessage = {
      runId,
      after: last,
      ...(metrics === undefined ? {} : { metrics: [...metrics] }),
    };
    pending += 1;
    link.socket.emit('follow', message, (answer: FollowAnswer) => inbox.put({ answer }));
  };
  const onConnect = (): void => {
    pending = 0; // requests of the previous connection get no answer
    follow();
  };
  const link = openFollowSocket(connection, inbox, { follow: onConnect, onProgress });
  const end = (): void => inbox.put({ ended: true });
  if (signal?.aborted === true) end();
  signal?.addEventListener('abort', end, { once: true });
  let hasStopped = false;
  let wasAnswered = false;
  let head = Number.POSITIVE_INFINITY; // the newest cursor when the run's state was last reported
  try {
    for (;;) {
      const { ended, error, answer, behind, batch: arrived } = await inbox.take();
      if (ended === true) return;
      if (error !== undefined) throw error;
      if (answer?.ok === true) {
        head = answer.head;
        hasStopped = isStopped(answer.state);
        wasAnswered = true;
        pending = Math.max(0, pending - 1);
      } else if (answer !== undefined) {
        if (!wasAnswered || !transientCodes.includes(answer.code)) throw refused(answer.code, answer.message);
        link.retry();
      }
      const batch = arrived === undefined ? undefined : cutBatch(arrived, last);
      if (behind === true || (batch === 'gap' && pending === 0)) follow();
      if (batch !== undefined && batch !== 'gap') {
        link.resetDelay();
        last = batch.cursor;
        for (const { kind, body } of batch.records)
          if (kind === 'state' && !besides.has(body['job'])) hasStopped = isStopped(body['to']);
        yield batch;
      }
      if (last >= head && (until === 'now' || (until === 'stopped' && hasStopped))) return;
    }
  } finally {
    signal?.removeEventListener('abort', end);
    link.close();
  }
}

function isStopped(state: unknown): boolean {
  return (stoppedStates as readonly unknown[]).includes(state);
}
