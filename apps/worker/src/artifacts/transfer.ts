/** @file Trying again: transfers fail when the server is away, and then time does not count against them. */
import { setTimeout as wait } from 'node:timers/promises';
import type { WorkerOptions } from '../worker-options.js';
import { isRefusal } from '../server/artifact-store.js';

export interface TransferParts {
  readonly tempo: WorkerOptions['tempo'];
  /** the server is there */
  isOnline(): boolean;
  readonly signal: AbortSignal;
}

const longestWaitMs = 30_000;

/**
 * Does something until it works, waiting longer each time. Tries count only while the server is there.
 *
 * @throws what the last try threw: a refusal at once; the signal's reason when it is aborted
 */
export async function persevere<T>(
  work: (signal: AbortSignal) => Promise<T>,
  parts: TransferParts,
): Promise<T> {
  const { tempo, signal } = parts;
  for (let tries = 1, failures = 1; ; failures += 1) {
    signal.throwIfAborted();
    try {
      return await work(signal);
    } catch (error) {
      signal.throwIfAborted();
      const isGone = (error as NodeJS.ErrnoException).code === 'ENOENT';
      if (isRefusal(error) || isGone || tries >= tempo.transferTries) throw error;
      if (parts.isOnline()) tries += 1;
    }
    const delay = Math.min(longestWaitMs, tempo.transferRetryMs * 2 ** Math.min(failures - 1, 10));
    await wait(delay * (0.5 + Math.random()), undefined, { signal });
  }
}
