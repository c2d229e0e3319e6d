/**
 * Iterates over several sources at once, each item as it comes. A source is asked for its next item when its last one is
 * taken, so that one item of each waits at most, and a busy source does not hold up the others.
 */
export function mergeIterators<T>(sources: readonly AsyncIterableIterator<T>[]): AsyncIterableIterator<T> {
  const waiting: { readonly source: AsyncIterator<T>; readonly result: IteratorResult<T> }[] = [];
  let open = sources.length;
  let isStarted = false;
  let failure: { readonly error: unknown } | undefined;
  let wake: (() => void) | undefined;

  const ask = (source: AsyncIterator<T>): void => {
    source
      .next()
      .then(
        (result) => void waiting.push({ source, result }),
        (error: unknown) => void (failure ??= { error }),
      )
      .finally(() => wake?.());
  };
  const finish = async (): Promise<IteratorResult<T>> => {
    open = 0;
    wake?.();
    await Promise.all(sources.map(async (source) => source.return?.()));
    return { done: true, value: undefined };
  };
  return {
    async next() {
      if (!isStarted) sources.forEach(ask);
      isStarted = true;
      while (open > 0) {
        if (failure !== undefined) {
          await finish();
          throw failure.error;
        }
        const first = waiting.shift();
        if (first === undefined) await new Promise<void>((resolve) => (wake = resolve));
        else if (first.result.done === true) open -= 1;
        else {
          ask(first.source);
          return first.result;
        }
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
