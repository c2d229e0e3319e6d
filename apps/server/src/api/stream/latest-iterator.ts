/**
 * Iterates over what a source tells, without end: of each key only the newest message waits to be taken, so that a
 * slow taker costs one message per key.
 *
 * @param listen begins to listen and returns what ends it
 */
export function iterateLatest<M, T>(
  listen: (tell: (key: string, message: M) => void) => () => void,
  toItem: (message: M) => T,
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
          return { done: false, value: toItem(message) };
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
