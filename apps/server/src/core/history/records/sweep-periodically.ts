import type { Logger } from '@nestjs/common';

/**
 * Calls a sweep periodically, by default every hour, never two at once. An error is logged and does not end it, and its timer does not keep the
 * process alive.
 *
 * @returns a function that stops it
 */
export function sweepPeriodically(
  sweep: () => Promise<unknown>,
  logger: Pick<Logger, 'error'>,
  everyMinutes = 60,
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
