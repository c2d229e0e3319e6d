import type { Logger } from '@nestjs/common';

/**
 * Calls a sweep again and again, never while the one before is under way; an error is logged, and the next comes all the
 * same. It keeps no process alive.
 *
 * @returns a function that ends it
 */
export function sweepPeriodically(
  sweep: () => Promise<unknown>,
  everyMinutes: number,
  logger: Pick<Logger, 'error'>,
): () => void {
  let isSweeping = false;
  const timer = setInterval(() => {
    if (isSweeping) return;
    isSweeping = true;
    sweep()
      .catch((error: unknown) => logger.error(String(error)))
      .finally(() => (isSweeping = false));
  }, everyMinutes * 60_000);
  timer.unref();
  return () => clearInterval(timer);
}
