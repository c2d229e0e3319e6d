/**
 * @file Collects the groups of several environments at once, so that the engine batches over all of them, and merges
 * what was collected. Groups are numbered through, tag by tag.
 */
import { hasCode } from '@espalier/contracts';
import { collectGroups, type CollectRequest, type Collection, meanByName } from './group-rollout.js';

/** A request of one environment in a run of several. */
export type TagRequest = Omit<CollectRequest<unknown>, 'tag' | 'place'> & { readonly tag: string };

/**
 * Collects the groups of one iteration of several environments; the first that fails stops the others.
 *
 * @throws as {@link collectGroups}
 */
export async function collectTags(requests: readonly TagRequest[]): Promise<Collection> {
  const failure = new AbortController();
  const total = requests.reduce((sum, { rollout }) => sum + rollout.promptsPerStep, 0);
  const done = requests.map(() => 0);
  const episodes = requests.reduce((sum, { rollout }) => sum + rollout.promptsPerStep * rollout.groupSize, 0);
  const settled = await Promise.allSettled(
    requests.map(async (request, index) => {
      const before = requests.slice(0, index);
      const first = before.reduce((sum, { rollout }) => sum + rollout.promptsPerStep, 0);
      const { signal, onProgress } = request;
      try {
        return await collectGroups({
          ...request,
          place: { first, total },
          signal: AbortSignal.any([failure.signal, ...(signal === undefined ? [] : [signal])]),
          onProgress: (count) => {
            done[index] = count;
            onProgress?.(
              done.reduce((sum, own) => sum + own, 0),
              episodes,
            );
          },
        });
      } catch (error) {
        failure.abort();
        throw error;
      }
    }),
  );
  const errors = settled.flatMap((one) => (one.status === 'rejected' ? [one.reason as Error] : []));
  // what was only stopped because of another tag says nothing
  const [error] = [...errors.filter((one) => !hasCode(one, 'rollout.cancelled')), ...errors];
  if (error !== undefined) throw error;
  return mergeTags(
    settled.flatMap((one, index): [string, Collection][] =>
      one.status === 'fulfilled' ? [[requests[index]?.tag ?? '', one.value]] : [],
    ),
  );
}

/** Merges what was collected of several tags. */
export function mergeTags(tags: readonly (readonly [tag: string, collection: Collection])[]): Collection {
  const all = tags.map(([, collection]) => collection);
  const rewardRecords = all.flatMap((one) => one.rewardRecords ?? []);
  return {
    groups: all.flatMap(({ groups }) => groups),
    failed: all.flatMap(({ failed }) => failed),
    rollouts: all.reduce((sum, { rollouts }) => sum + rollouts, 0),
    rewardMetrics: meanByName(rewardRecords),
    rewardRecords,
    tags: new Map(tags),
  };
}
