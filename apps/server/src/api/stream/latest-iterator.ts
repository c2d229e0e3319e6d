/**
 * Iterates endlessly over the messages of a source. Only the newest message of each key is queued, so that a slow consumer
 * costs one message per key.
 *
 * @param listen subscribes to the source and returns the function that unsubscribes
 */
export function iterateLatest<M, T>(
  listen: (publish: (key: string, message: M) => void) => () => void,
  toItem: (message: M) => T | Promise<T>,
): AsyncIterableIterator<T> {
  const waiting = new Map<string, M>();
  let isClosed = false;
  let wake: (() => void) | undefined;
  const end = listen((key, message) => {
    waiting.set(key, message);
    wake?.();
  });
  const finish = (): Promise<IteratorResult<T>> => {
    isClosed = true;
    end();
    wake?.();
    return Promise.resolve({ done: true, value: undefined });
  };
  return {
    async next() {
      while (!isClosed) {
        for (const [key, message] of waiting) {
          waiting.delete(key);
          return { done: false, value: await toItem(message) };
        }
        await new Promise<void>((resolve) => (wake = resolve));
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
