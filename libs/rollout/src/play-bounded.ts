/** @file Many episodes of which only some are under way at once: what each needs while it is played is then bounded. */

/**
 * Plays `count` episodes in the order of their indices, at most `atOnce` at the same time; whenever one ends, the next
 * begins.
 *
 * @param play   must not depend on which others are under way
 * @param signal once aborted no further episode begins, and what would have come of them is left out
 * @returns what came of each, by index
 * @throws what an episode throws; none begins after it
 */
export async function playBounded<T>(
  count: number,
  atOnce: number,
  play: (index: number) => Promise<T>,
  signal?: AbortSignal,
): Promise<T[]> {
  const outcomes: T[] = [];
  let next = 0;
  let isFailed = false;
  const playOn = async (): Promise<void> => {
    while (next < count && !isFailed && signal?.aborted !== true) {
      const index = next++;
      try {
        outcomes[index] = await play(index);
      } catch (error) {
        isFailed = true;
        throw error;
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(count, atOnce) }, playOn));
  return outcomes;
}

/** Does work, perhaps later. */
export type Gate = <T>(work: () => Promise<T>) => Promise<T>;

/** Lets at most `most` pieces of work be under way, in the order in which they come. */
export function createGate(most: number): Gate {
  let free = most;
  const waiting: (() => void)[] = [];
  return async (work) => {
    if (free > 0) free -= 1;
    else await new Promise<void>((resolve) => waiting.push(resolve));
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next === undefined) free += 1;
      else next();
    }
  };
}
