/** @file How long to wait before a request is sent again. */

/**
 * Waits twice as long each time, and at least as long as the server asks for.
 *
 * @param attempt from 0
 * @param askedMs what the server asks to wait (`Retry-After`)
 * @param mostMs the longest wait
 * @returns milliseconds
 */
export const retryDelayMs = (attempt: number, backoffMs: number, askedMs: number, mostMs: number): number =>
  Math.min(mostMs, Math.max(askedMs, backoffMs * 2 ** attempt));
