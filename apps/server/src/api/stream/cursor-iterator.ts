/**
 * @file A run's history as an async iterator of batches from a cursor on, which ends when the run is deleted. It has no
 * queue: a slow consumer gets larger batches, from memory or from the database.
 */
import type { RecordBatch } from './record-batch.js';
import { pageRecords, type RunChannel } from './run-channel.js';
import type { RunChannels } from './run-channels.js';

/**
 * Iterates over the records after a cursor.
 *
 * @param toItem makes an item of a batch; undefined: none
 * @param share how many iterators share a page of history, as each may hold its part until it is consumed
 */
export function iterateRun<T>(
  channels: RunChannels,
  start: { readonly runId: string; readonly after: number },
  toItem: (batch: RecordBatch) => T | undefined,
  share = 1,
): AsyncIterableIterator<T> {
  const { runId } = start;
  let after = start.after;
  let isClosed = false;
  let channel: RunChannel | undefined;
  let end: (() => void) | undefined;
  let wake: (() => void) | undefined;

  const open = async (): Promise<RunChannel> => {
    const opened = await channels.open(runId);
    if (isClosed) channels.close(runId);
    else {
      channel = opened;
      end = opened.listen(() => wake?.());
    }
    return opened;
  };
  /** Undefined: it was closed, or the run was deleted. */
  const take = async (from: RunChannel): Promise<RecordBatch | undefined> => {
    const isOver = (): boolean => isClosed || from.isOver;
    while (!isOver() && after >= from.sent) await new Promise<void>((resolve) => (wake = resolve));
    if (isOver()) return undefined;
    return from.after(after) ?? from.read(after, Math.ceil(pageRecords / share));
  };
  const finish = (): Promise<IteratorResult<T>> => {
    if (!isClosed && channel !== undefined) channels.close(runId);
    isClosed = true;
    end?.();
    wake?.();
    return Promise.resolve({ done: true, value: undefined });
  };
  return {
    async next() {
      const from = channel ?? (await open());
      for (;;) {
        const batch = await take(from);
        if (batch === undefined || isClosed) return finish();
        after = batch.cursor;
        const value = toItem(batch);
        if (value !== undefined) return { done: false, value };
      }
    },
    return: finish,
    throw: finish,
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}
