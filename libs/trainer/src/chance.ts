/**
 * @file What the environment's chance explains in each group of a step, for a filter that takes it off.
 */
import type { RunSpec, TrajectoryGroup } from '@espalier/contracts';
import { listLevels, listTrained } from '@espalier/contracts/mixing';
import { estimateChance } from '@espalier/rollout';
import { bindEnvironment, type PluginLookup, rolloutOf } from './bind-plugins.js';
import type { RunContext } from './run-context.js';
import { indicesByTag, tagOf } from './select-groups.js';

const atOnce = 64;

type ReplayRequest = Parameters<typeof estimateChance>[1];

/** An environment, and its level where it has a curriculum. */
const placeOf = (tag: string, level: number | undefined): string => `${tag}/${level ?? ''}`;

/** Creates the estimator of a run; undefined where no filter takes chance off. */
export function createChanceEstimator(spec: RunSpec, registry: PluginLookup): RunContext['estimateChance'] {
  const seedsOf = (tag: string): number => {
    const own = spec.environments?.[tag]?.select?.['filter'] as { readonly noiseSeeds?: number } | undefined;
    return own?.noiseSeeds ?? spec.filter?.noiseSeeds ?? 0;
  };
  const requests = new Map(
    listTrained(spec)
      .flatMap(listLevels)
      .flatMap(({ tag = '', level, curriculum, spec: own }): [string, ReplayRequest][] => {
        const { definition, params } = bindEnvironment(own, registry);
        const reads = definition.reads?.(params);
        const noiseSeeds = spec.filter === undefined ? 0 : seedsOf(tag);
        // an agent program cannot repeat its actions
        if (noiseSeeds === 0 || reads?.noise === false || definition.agent !== undefined) return [];
        const weight = own.rewards.reduce(
          (sum, reward) => sum + (reward.use === 'environment-return' ? reward.weight : 0),
          0,
        );
        const most = Math.min(atOnce, reads?.episodes ?? atOnce);
        const create = () => definition.create(params);
        return [
          [
            placeOf(tag, curriculum && level),
            { create, noiseSeeds, weight, rollout: rolloutOf(own), atOnce: most },
          ],
        ];
      }),
  );
  if (requests.size === 0) return undefined;
  return async (groups, signal) => {
    const variances = groups.map(() => 0);
    let steps = 0;
    let failed = 0;
    const places = groups.map((group) => placeOf(tagOf(group), group.trajectories[0]?.level));
    for (const [place, indices] of indicesByTag(places)) {
      const request = requests.get(place);
      if (request === undefined) continue;
      const own = await estimateChance(
        indices.map((index) => groups[index] as TrajectoryGroup),
        { ...request, signal },
      );
      own.variances.forEach((variance, position) => (variances[indices[position] as number] = variance));
      steps += own.steps;
      failed += own.failed;
    }
    return { variances, steps, failed };
  };
}
