/** @file Iterators over the newest messages of a source, so that a slow consumer costs one message per key. */

/** Subscribes to a source and returns the function that unsubscribes. */
type Listen<M> = (publish: (key: string, message: M) => void) => () => void;

/** What waits for its consumer: the newest message of each key. */
function queueLatest<M>(listen: Listen<M>) {
  const waiting = new Map<string, M>();
  let isClosed = false;
  let wake: (() => void) | undefined;
  const end = listen((key, message) => {
    waiting.set(key, message);
    wake?.();
  });
  return {
    waiting,
    isClosed: () => isClosed,
    /** Resolves when something has arrived, or it was closed. */
    changed: () => new Promise<void>((resolve) => (wake = resolve)),
    close(): void {
      isClosed = true;
      end();
      wake?.();
    },
  };
}

const done = { done: true, value: undefined } as const;

function toIterator<T>(next: () => Promise<IteratorResult<T>>, close: () => void): AsyncIterableIterator<T> {
  const finish = (): Promise<IteratorResult<T>> => {
    close();
    return Promise.resolve(done);
  };
  return {
    next,
    return: finish,
    throw: finish,
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}

/** Iterates endlessly over the messages of a source, one at a time, of each key the newest. */
export function iterateLatest<M, T>(
  listen: Listen<M>,
  toItem: (message: M) => T | Promise<T>,
): AsyncIterableIterator<T> {
  const { waiting, isClosed, changed, close } = queueLatest(listen);
  return toIterator<T>(async () => {
    while (!isClosed()) {
      for (const [key, message] of waiting) {
        waiting.delete(key);
        return { done: false, value: await toItem(message) };
      }
      await changed();
    }
    return done;
  }, close);
}

/** Iterates endlessly over what has changed, all at once and of each key the newest, with a rest between two batches. */
export function iterateBatches<M, T>(
  listen: Listen<M>,
  toItem: (messages: M[]) => T,
  { restMs }: { readonly restMs: number },
): AsyncIterableIterator<T> {
  const { waiting, isClosed, changed, close } = queueLatest(listen);
  let readyAt = 0;
  return toIterator<T>(async () => {
    while (!isClosed()) {
      const rest = readyAt - performance.now();
      if (waiting.size > 0 && rest <= 0) {
        const messages = [...waiting.values()];
        waiting.clear();
        readyAt = performance.now() + restMs;
        return { done: false, value: toItem(messages) };
      }
      await (waiting.size === 0 ? changed() : orAfter(changed(), rest));
    }
    return done;
  }, close);
}

/** Waits for an event, but no longer than some milliseconds. */
async function orAfter(event: Promise<void>, ms: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  await Promise.race([event, new Promise<void>((resolve) => (timer = setTimeout(resolve, ms)))]);
  clearTimeout(timer);
}
