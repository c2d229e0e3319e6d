/**
 * @file Sends one stream of an attempt in batches, one at a time, and repeats each until the server has stored it. It
 * saves no position: after a reconnect the server tells which sequence it has.
 */
import type { AttemptEvent, AttemptStream, EventsAnswer, NumberedEvent } from '@espalier/protocol';
import type { ServerConnection } from '../connection.js';
import { decodeLine } from './decode-line.js';
import { createLineReader } from './line-reader.js';

const batchEvents = 500;
const batchBytes = 256 * 1024;
/** A batch of progress events alone waits for other events, but no longer than this, ms. */
const progressMs = 1000;

export interface StreamShipper {
  /** Resumes after the last event that the server has. */
  resume(acked: number): void;
  /** Sends all new events, if the server is connected. */
  pump(): Promise<void>;
  /** Whether the server has stored everything in the file. */
  isDrained(): boolean;
}

export interface StreamParts {
  readonly attemptId: string;
  readonly token: number;
  readonly stream: AttemptStream;
  readonly path: string;
  /** bytes of the file to send; default: all */
  readonly maxBytes?: number;
  /** makes paths in a line relative */
  readonly redact?: (text: string) => string;
  readonly connection: ServerConnection;
  /** returns false if this event and all later ones have to wait */
  readonly maySend?: (event: AttemptEvent) => boolean;
  readonly onFenced: () => void;
  readonly now?: () => number;
}

/** Creates the shipper of a stream, which sends nothing before `resume`. */
export function createStreamShipper(parts: StreamParts): StreamShipper {
  const { attemptId, token, stream, path, maxBytes, connection, maySend, onFenced, now = Date.now } = parts;
  const { redact = (text: string) => text } = parts;
  const reader = createLineReader(path, maxBytes);
  let acked: number | undefined;
  let batch: NumberedEvent[] = [];
  let isBusy = false;
  /** trajectories are not validated until the server has rejected one */
  let isTrusted = true;
  let sentAt = Number.NEGATIVE_INFINITY;

  const isProgress = (): boolean =>
    batch.every(({ event }) => event.kind === 'phase' || event.kind === 'turn');
  const load = (): void => {
    // a batch that failed is sent again unchanged
    if (!isProgress()) return;
    for (const { sequence, text } of reader.read(batchEvents - batch.length, batchBytes)) {
      const event = decodeLine(stream, redact(text), now(), isTrusted);
      if (maySend?.(event) === false) return reader.seek(sequence - 1);
      batch.push({ sequence, event });
    }
  };
  const resumeAfter = (sequence: number): void => {
    acked = sequence;
    batch = batch.filter((event) => event.sequence > sequence);
    if (batch[0] !== undefined && batch[0].sequence === sequence + 1) return;
    batch = [];
    reader.seek(sequence);
  };
  const send = async (): Promise<boolean> => {
    load();
    const time = performance.now();
    if (batch.length === 0 || (isProgress() && time - sentAt < progressMs)) return false;
    sentAt = time;
    const answer = await connection.send<EventsAnswer>('events', {
      attemptId,
      token,
      stream,
      events: [...batch],
    });
    if (answer.ok) {
      resumeAfter(answer.value.acked);
      return true;
    }
    if (answer.code === 'worker.malformed_message' && isTrusted) {
      isTrusted = false;
      batch = [];
      if (acked !== undefined) reader.seek(acked);
      return true;
    }
    if (answer.code === 'worker.fenced') onFenced();
    // the next pump sends the same batch again
    else if (answer.code === 'worker.busy') return false;
    // anything else: the next welcome tells where to resume
    else connection.reconnect(`events of ${stream} refused: ${answer.code}: ${answer.message}`);
    return false;
  };
  return {
    resume: resumeAfter,
    async pump() {
      if (isBusy) return;
      isBusy = true;
      try {
        while (acked !== undefined && connection.isOnline() && (await send()));
      } catch {
        // no answer, so the same batch is sent again
      } finally {
        isBusy = false;
      }
    },
    isDrained() {
      if (isBusy || acked === undefined || batch.length > 0) return false;
      load();
      return batch.length === 0 && reader.position <= acked;
    },
  };
}
