/** @file The share of rollouts of a collection that may fail. */
import { AppError, type Trajectory } from '@espalier/contracts';

/** Aborts the collection once its share of failures exceeds the limit even if all remaining rollouts succeed. */
export function createFailureCount(
  episodes: number,
  limit: number,
): { readonly signal: AbortSignal; readonly count: () => void } {
  const controller = new AbortController();
  let failed = 0;
  const count = (): void => {
    failed += 1;
    if (failed / (failed + episodes) > limit) controller.abort();
  };
  return { signal: controller.signal, count };
}

/** @throws rollout.too_many_errors */
export function checkFailedShare(
  failed: readonly Trajectory[],
  {
    rollouts,
    episodes,
    limit,
    tag,
    level,
  }: {
    rollouts: number;
    episodes: number;
    limit: number;
    tag: string | undefined;
    level: number | undefined;
  },
): void {
  if (failed.length === 0 || failed.length / rollouts <= limit) return;
  const first = failed[0];
  throw new AppError(
    'rollout.too_many_errors',
    `collect ${episodes} episodes${tag === undefined ? '' : ` of tag ${tag}`}${level === undefined ? '' : ` at level ${level}`}: ${failed.length} of ${rollouts} rollouts failed (each failed one is retried once), above the share ${limit}; first: ${first?.error ?? 'unknown'}`,
    {
      details: {
        failed: failed.length,
        rollouts,
        limit,
        first: first?.id,
        ...(tag === undefined ? {} : { tag }),
      },
    },
  );
}
