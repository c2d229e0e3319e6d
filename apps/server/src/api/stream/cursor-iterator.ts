/**
 * @file A run's history as an async iterator: one span after the other from a cursor on, without end. It holds no
 * queue: whoever takes slowly gets what is next in larger spans, from memory or from the database.
 */
import type { RecordSpan } from './record-span.js';
import type { RunHub } from './run-hub.js';
import type { RunHubs } from './run-hubs.js';

/**
 * Iterates over what follows a cursor.
 *
 * @param toItem gives what to hand out of a span; undefined: nothing
 */
export function iterateRun<T>(
  hubs: RunHubs,
  start: { readonly runId: string; readonly after: number },
  toItem: (span: RecordSpan) => T | undefined,
): AsyncIterableIterator<T> {
  const { runId } = start;
  let after = start.after;
  let isClosed = false;
  let hub: RunHub | undefined;
  let end: (() => void) | undefined;
  let wake: (() => void) | undefined;

  const open = async (): Promise<RunHub> => {
    const opened = await hubs.open(runId);
    if (isClosed) hubs.close(runId);
    else {
      hub = opened;
      end = opened.listen(() => wake?.());
    }
    return opened;
  };
  const take = async (from: RunHub): Promise<RecordSpan | undefined> => {
    if (after >= from.sent) {
      await new Promise<void>((resolve) => (wake = resolve));
      return undefined;
    }
    return from.after(after) ?? from.read(after, hubs.pageRecords);
  };
  const finish = (): Promise<IteratorResult<T>> => {
    if (!isClosed && hub !== undefined) hubs.close(runId);
    isClosed = true;
    end?.();
    wake?.();
    return Promise.resolve({ done: true, value: undefined });
  };
  return {
    async next() {
      const from = hub ?? (await open());
      while (!isClosed) {
        const span = await take(from);
        if (span === undefined || isClosed) continue;
        after = span.cursor;
        const value = toItem(span);
        if (value !== undefined) return { done: false, value };
      }
      return { done: true, value: undefined };
    },
    return: finish,
    throw: finish,
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}
