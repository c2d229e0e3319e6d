/**
 * @file How long an episode waits for an environment. Only what is awaited can be limited: a hook that computes
 * without ever yielding holds the whole process, and stopping it needs a process of its own.
 */
import { AppError } from '@espalier/contracts';

/**
 * Waits for a hook's result; a plain value comes back as it is, without a timer. A late result is dropped.
 *
 * @param hook    its name, for the message
 * @param limitMs milliseconds; 0 = no limit
 * @throws plugin.timeout when a promise has not settled in time
 */
export async function withTimeLimit<T>(hook: string, result: T | Promise<T>, limitMs: number): Promise<T> {
  if (limitMs === 0 || !(result instanceof Promise)) return result;
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<never>((_, reject) => {
    const late = new AppError(
      'plugin.timeout',
      `${hook}() did not end within ${limitMs} ms; make it faster or raise rollout.environmentTimeoutMs`,
      { details: { hook, limitMs } },
    );
    timer = setTimeout(() => reject(late), limitMs);
  });
  try {
    return await Promise.race([result, limit]);
  } finally {
    clearTimeout(timer);
  }
}
