/**
 * @file Results of a subscription that were not taken yet, bounded. One that is read from a cursor on can be asked for
 * again: beyond the bound the queue is full and takes nothing more. Of others, which tell how something stands now, a
 * newer result takes the place of an older one about the same thing, which the server does for a slow taker, too.
 */

export interface ResultQueue<T> {
  /** @returns false when it is full: the result was dropped, to be asked for again */
  put(result: T): boolean;
  take(): T | undefined;
  readonly waiting: number;
}

/**
 * Creates a queue.
 *
 * @param most  results that wait at most; of things with a key, one per key beyond that
 * @param keyOf what a result is about; undefined: that is not known, and the oldest such result goes
 */
export function createResultQueue<T>(
  most: number,
  kind: 'by-cursor' | 'newest',
  keyOf: (result: T) => string | undefined,
): ResultQueue<T> {
  const results: T[] = [];
  return {
    put(result) {
      if (results.length >= most) {
        if (kind === 'by-cursor') return false;
        const key = keyOf(result);
        const older = results.findIndex((one) => keyOf(one) === key);
        if (older !== -1) results.splice(older, 1);
      }
      results.push(result);
      return true;
    },
    take: () => results.shift(),
    get waiting() {
      return results.length;
    },
  };
}
