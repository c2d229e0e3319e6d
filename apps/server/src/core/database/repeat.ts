/**
 * Calls work at an interval, never twice at once: while a call takes longer, others are left out. An error does not end
 * it, and its timer does not keep the process alive.
 *
 * @returns ends it; resolves when a call in progress is over
 */
export function repeat(
  work: () => Promise<unknown>,
  everyMs: number,
  onError: (error: unknown) => void,
): () => Promise<void> {
  let current: Promise<unknown> | undefined;
  const timer = setInterval(() => {
    current ??= work()
      .catch(onError)
      .finally(() => (current = undefined));
  }, everyMs);
  timer.unref();
  return async () => {
    clearInterval(timer);
    await current;
  };
}
