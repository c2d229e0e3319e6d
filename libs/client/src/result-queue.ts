/**
 * @file A bounded queue for the results of a subscription. Results with a cursor can be requested again, so a full queue
 * rejects them. Other results describe a current state, so a newer one replaces an older one with the same key, as the
 * server does for a slow client.
 */

export interface ResultQueue<T> {
  /** @returns false if the queue is full and the result was dropped; request it again */
  put(result: T): boolean;
  take(): T | undefined;
  readonly waiting: number;
}

/**
 * Creates a queue.
 *
 * @param most  maximum number of results; beyond it, one per key
 * @param keyOf the key of a result; if undefined, the oldest result without a key is dropped
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
