/** @file Requests that are sent again when their answer was lost on the way; only those that the server knows again. */
import { isAppError } from '@espalier/contracts';
import { isUnsent } from './addresses.js';

/** An idempotency key. A page that did not come over https, nor from this machine, has no `randomUUID`. */
export const randomKey = (): string =>
  Array.from(globalThis.crypto.getRandomValues(new Uint8Array(16)), (byte) =>
    byte.toString(16).padStart(2, '0'),
  ).join('');

/** Waits before the second and the third try, ms. */
const pauses = [200, 1000];

/**
 * Sends a request, up to three times while no answer arrives.
 *
 * @param isKnownAgain it has an idempotency key; without one it is sent once
 */
export async function retryLost<T>(send: () => Promise<T>, isKnownAgain: boolean): Promise<T> {
  for (const pause of isKnownAgain ? pauses : []) {
    try {
      return await send();
    } catch (error) {
      if (!isLost(error)) throw error;
      await new Promise((resolve) => setTimeout(resolve, pause));
    }
  }
  return send();
}

function isLost(error: unknown): boolean {
  // where it never reached a server there is nothing to lose
  return isAppError(error) && error.code === 'client.unreachable' && !isUnsent(error);
}
