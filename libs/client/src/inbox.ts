/**
 * @file What has come for a follower and was not looked at yet. A follower that is slow gets a bounded number of
 * batches; beyond it all that comes is dropped, and it is told that it is behind once it has taken the rest.
 */
import type { FollowAnswer, StreamBatch } from '@espalier/protocol';

export interface Item {
  readonly batch?: StreamBatch;
  readonly answer?: FollowAnswer;
  /** something is missing here: ask again from the last cursor */
  readonly behind?: true;
  readonly error?: Error;
  readonly ended?: true;
}

export interface Inbox {
  put(item: Item): void;
  take(): Promise<Item>;
}

/** @param mostBatches how many wait at most */
export function createInbox(mostBatches = 256): Inbox {
  const items: Item[] = [];
  let waiting = 0; // batches among the items
  let isOverflown = false;
  let wake: (() => void) | undefined;
  return {
    put(item) {
      if (item.batch !== undefined && (isOverflown || waiting >= mostBatches)) {
        isOverflown = true;
        return;
      }
      if (item.batch !== undefined) waiting += 1;
      items.push(item);
      wake?.();
    },
    async take() {
      if (items.length === 0 && isOverflown) {
        isOverflown = false;
        return { behind: true };
      }
      while (items.length === 0) await new Promise<void>((resolve) => (wake = resolve));
      const item = items.shift() as Item;
      if (item.batch !== undefined) waiting -= 1;
      return item;
    },
  };
}
