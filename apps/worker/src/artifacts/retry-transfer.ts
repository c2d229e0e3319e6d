/** @file Retries of transfers. Failures while the server is unreachable do not count as attempts. */
import { setTimeout as wait } from 'node:timers/promises';
import type { WorkerOptions } from '../worker-options.js';
import { isRefusal } from './artifact-store.js';

export interface TransferParts {
  readonly timing: WorkerOptions['timing'];
  /** whether the server is connected */
  isOnline(): boolean;
  readonly signal: AbortSignal;
}

const maxReconnectDelayMs = 30_000;

/**
 * Retries a transfer with growing delays until it succeeds.
 *
 * @throws the error of the last attempt, a rejection immediately, or the reason of the aborted signal
 */
export async function retryTransfer<T>(
  work: (signal: AbortSignal) => Promise<T>,
  parts: TransferParts,
): Promise<T> {
  const { timing, signal } = parts;
  for (let tries = 1, failures = 1; ; failures += 1) {
    signal.throwIfAborted();
    try {
      return await work(signal);
    } catch (error) {
      signal.throwIfAborted();
      const isGone = (error as NodeJS.ErrnoException).code === 'ENOENT';
      if (isRefusal(error) || isGone || tries >= timing.transferTries) throw error;
      if (parts.isOnline()) tries += 1;
    }
    const delay = Math.min(maxReconnectDelayMs, timing.transferRetryMs * 2 ** Math.min(failures - 1, 10));
    await wait(delay * (0.5 + Math.random()), undefined, { signal }).catch(() => signal.throwIfAborted());
  }
}
