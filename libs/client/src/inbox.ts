/**
 * @file The unread messages of a follower. The number of batches is bounded: further ones are dropped, and once the
 * follower has read the others it learns that it is behind.
 */
import type { FollowAnswer, StreamBatch } from '@espalier/protocol';

export interface Item {
  readonly batch?: StreamBatch;
  readonly answer?: FollowAnswer;
  /** batches were dropped here: request again from the last cursor */
  readonly behind?: true;
  readonly error?: Error;
  readonly ended?: true;
}

export interface Inbox {
  put(item: Item): void;
  take(): Promise<Item>;
}

/** @param maxBatches maximum number of unread batches */
export function createInbox(maxBatches = 256): Inbox {
  const items: Item[] = [];
  let waiting = 0; // batches among the items
  let isOverflown = false;
  let wake: (() => void) | undefined;
  return {
    put(item) {
      if (item.batch !== undefined && (isOverflown || waiting >= maxBatches)) {
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
