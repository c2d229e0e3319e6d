/** @file A subscription for as long as a component is shown. */
import { useEffect, useRef } from 'react';
import { isKeyLost } from './errors.js';
import { useSession } from '../session/session-context.js';

/**
 * Runs a loop over pushed results until the component goes or `key` changes; what arrives later is dropped. A loop that
 * the server ends is started again after a while.
 *
 * @param key  undefined: nothing to follow yet
 * @param open starts the subscription
 */
export function useLive<T>(
  key: string | undefined,
  open: () => AsyncGenerator<T>,
  onResult: (result: T) => void,
): void {
  const { leave } = useSession();
  const newest = useRef({ open, onResult });
  newest.current = { open, onResult };
  useEffect(() => {
    if (key === undefined) return undefined;
    let isOver = false;
    let loop: AsyncGenerator<T> | undefined;
    let timer: number | undefined;
    const run = async (): Promise<void> => {
      try {
        loop = newest.current.open();
        for await (const result of loop) {
          if (isOver) return;
          newest.current.onResult(result);
        }
      } catch (error) {
        if (isOver) return;
        if (isKeyLost(error))
          return leave(
            'Signed out: the key is no longer valid. It was revoked, or the server has other keys now.',
          );
      }
      if (!isOver) timer = window.setTimeout(() => void run(), 2000);
    };
    void run();
    return () => {
      isOver = true;
      window.clearTimeout(timer);
      void loop?.return(undefined);
    };
  }, [key, leave]);
}
