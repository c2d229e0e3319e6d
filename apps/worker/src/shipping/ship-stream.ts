/**
 * @file Sends one stream of an attempt: whole batches, one under way at a time, each until the server has stored it.
 * Nothing is noted here; where to go on is what the server says when it welcomes the worker.
 */
import type { AttemptEvent, AttemptStream, EventsAnswer, NumberedEvent } from '@espalier/protocol';
import type { Exchange } from '../server/connection.js';
import { decodeLine } from './decode-line.js';
import { createLineReader } from './line-reader.js';

const batchEvents = 500;
const batchBytes = 256 * 1024;
/** News of nothing but how far a step is goes with what comes next, or after so long, ms. */
const progressMs = 1000;

export interface StreamShipper {
  /** Goes on after the last event that the server has. */
  resume(acked: number): void;
  /** Sends what there is, if the server is there. */
  pump(): Promise<void>;
  /** Everything that is in the file is stored by the server. */
  isDrained(): boolean;
}

export interface StreamParts {
  readonly attemptId: string;
  readonly token: number;
  readonly stream: AttemptStream;
  readonly path: string;
  /** bytes of the file that are sent; default: all */
  readonly most?: number;
  /** shortens the paths in a line */
  readonly hide?: (text: string) => string;
  readonly exchange: Exchange;
  /** false: this event and all after it have to wait */
  readonly maySend?: (event: AttemptEvent) => boolean;
  readonly onFenced: () => void;
  readonly now?: () => number;
}

/** Creates the shipper of a stream; it sends nothing before `resume`. */
export function createStreamShipper(parts: StreamParts): StreamShipper {
  const { attemptId, token, stream, path, most, exchange, maySend, onFenced, now = Date.now } = parts;
  const { hide = (text: string) => text } = parts;
  const reader = createLineReader(path, most);
  let acked: number | undefined;
  let batch: NumberedEvent[] = [];
  let isBusy = false;
  /** trajectories are as good as checked, until the server has refused one */
  let isTrusted = true;
  let sentAt = Number.NEGATIVE_INFINITY;

  const isProgress = (): boolean => batch.every(({ event }) => event.kind === 'phase');
  const load = (): void => {
    // what failed is sent again as it was
    if (!isProgress()) return;
    for (const { sequence, text } of reader.read(batchEvents - batch.length, batchBytes)) {
      const event = decodeLine(stream, hide(text), now(), isTrusted);
      if (maySend?.(event) === false) return reader.seek(sequence - 1);
      batch.push({ sequence, event });
    }
  };
  const goOnAfter = (sequence: number): void => {
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
    const answer = await exchange.send<EventsAnswer>('events', {
      attemptId,
      token,
      stream,
      events: [...batch],
    });
    if (answer.ok) {
      goOnAfter(answer.value.acked);
      return true;
    }
    if (answer.code === 'worker.malformed_message' && isTrusted) {
      isTrusted = false;
      batch = [];
      if (acked !== undefined) reader.seek(acked);
      return true;
    }
    if (answer.code === 'worker.fenced') onFenced();
    // the same batch is sent again with the next pump
    else if (answer.code === 'worker.busy') return false;
    // anything else: the next welcome says where to go on
    else exchange.renew(`events of ${stream} refused: ${answer.code}: ${answer.message}`);
    return false;
  };
  return {
    resume: goOnAfter,
    async pump() {
      if (isBusy) return;
      isBusy = true;
      try {
        while (acked !== undefined && exchange.isOnline() && (await send()));
      } catch {
        // no answer: the connection is gone or slow, the same batch is sent again
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
