/**
 * @file Collects the groups of several environments, or of several levels of one, at once, so that the engine batches over
 * all of them, and merges what was collected. Groups are numbered through, tag by tag.
 */
import { hasCode } from '@espalier/contracts';
import { createGate, type Gate } from './play-bounded.js';
import {
  collectGroups,
  type CollectRequest,
  type Collection,
  episodesOf,
  type GroupPlace,
  meanByName,
} from './group-rollout.js';

/** A request for the groups of one environment, or of one of its levels; `rollout.promptsPerStep` of them. */
export type PartRequest = Omit<CollectRequest<unknown>, 'place'>;

/**
 * Collects the groups of one iteration; the first request that fails stops the others. Requests with the same tag follow
 * each other; the only environment of a run has none.
 *
 * @param all where these groups stand among those of the step; default: they are all of them
 * @throws as {@link collectGroups}
 */
export async function collectTags(requests: readonly PartRequest[], all?: GroupPlace): Promise<Collection> {
  const failure = new AbortController();
  const gates = openGates(requests);
  const own = requests.reduce((sum, { rollout }) => sum + rollout.promptsPerStep, 0);
  const { first: start, total } = all ?? { first: 0, total: own };
  const done = requests.map(() => 0);
  const episodes = requests.reduce((sum, one) => sum + one.rollout.promptsPerStep * episodesOf(one), 0);
  const settled = await Promise.allSettled(
    requests.map(async (request, index) => {
      const before = requests.slice(0, index);
      const first = before.reduce((sum, { rollout }) => sum + rollout.promptsPerStep, start);
      const { signal, onProgress } = request;
      try {
        return await collectGroups({
          ...request,
          place: { first, total },
          gate: gates.get(request.environment.definition.id),
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
  // what was only stopped because of another request says nothing
  const [error] = [...errors.filter((one) => !hasCode(one, 'rollout.cancelled')), ...errors];
  if (error !== undefined) throw error;
  const byTag = new Map<string | undefined, Collection[]>();
  settled.forEach((one, index) => {
    if (one.status !== 'fulfilled') return;
    const tag = requests[index]?.tag;
    byTag.set(tag, [...(byTag.get(tag) ?? []), one.value]);
  });
  const tags = [...byTag].map(([tag, levels]) => [tag, mergeCollections(levels)] as const);
  const [first] = tags;
  if (first !== undefined && first[0] === undefined) return first[1];
  return mergeTags(tags.map(([tag = '', collection]) => [tag, collection]));
}

/** For environments that bound how many episodes are played at once: the bound holds for all their tags and levels. */
function openGates(requests: readonly PartRequest[]): ReadonlyMap<string, Gate> {
  const bounds = new Map<string, number>();
  for (const { environment } of requests) {
    const { definition, params } = environment;
    const most = definition.reads?.(params).episodes;
    if (most !== undefined) bounds.set(definition.id, Math.min(most, bounds.get(definition.id) ?? Infinity));
  }
  return new Map([...bounds].map(([id, most]) => [id, createGate(most)]));
}

/** Merges what was collected of several tags. */
export function mergeTags(tags: readonly (readonly [tag: string, collection: Collection])[]): Collection {
  return { ...mergeCollections(tags.map(([, collection]) => collection)), tags: new Map(tags) };
}

function mergeCollections(all: readonly Collection[]): Collection {
  const rewardRecords = all.flatMap((one) => one.rewardRecords ?? []);
  return {
    groups: all.flatMap(({ groups }) => groups),
    failed: all.flatMap(({ failed }) => failed),
    rollouts: all.reduce((sum, { rollouts }) => sum + rollouts, 0),
    rewardMetrics: meanByName(rewardRecords),
    rewardRecords,
  };
}

/** Joins what was collected in two rounds of one step. */
export function joinCollections(first: Collection, second: Collection): Collection {
  const all = mergeCollections([first, second]);
  if (first.tags === undefined) return all;
  const tags = new Map(first.tags);
  for (const [tag, own] of second.tags ?? []) {
    const known = tags.get(tag);
    tags.set(tag, known === undefined ? own : joinCollections(known, own));
  }
  return { ...all, tags };
}
