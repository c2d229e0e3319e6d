/**
 * @file Chooses the groups to learn from: those that the algorithm can use, and of these the ones that the run's filter
 * keeps; among all, or within each tag of a run in several environments, whose rewards may have different scales. Says
 * of every other group why not.
 */
import type { RunSpec, TrajectoryGroup } from '@espalier/contracts';
import type { DroppedGroup, GroupFilterSpec } from '@espalier/contracts/group-filter';
import { shareGroups } from '@espalier/contracts/mixing';
import { estimateGroupWeights, filterGroups } from '@espalier/objective';
import type { GroupScores, Selection } from '@espalier/plugin-kit';
import { algorithmOf, type BoundAlgorithm, type RunAlgorithms } from './tag-algorithms.js';

interface SelectParts extends RunAlgorithms {
  readonly spec: RunSpec;
}

/** The groups that an update learns from. */
export interface GroupChoice {
  /** indices into the given groups, ascending */
  readonly kept: readonly number[];
  /** factor of the advantages of each kept group; default: 1 */
  readonly weights?: Float64Array | undefined;
  /** per given group: why it was dropped; undefined: it is kept */
  readonly dropped: readonly (DroppedGroup | undefined)[];
}

/** A group with the variance of its totals that the environment's chance explains, if that was estimated. */
interface Candidate extends GroupScores {
  /** there is a greedy trajectory to compare it with */
  readonly hasBaseline: boolean;
  readonly chance?: number | undefined;
}

/** @param chance per group: the variance that chance explains; absent: nothing was estimated */
export function selectGroups(
  groups: readonly TrajectoryGroup[],
  parts: SelectParts,
  chance?: readonly number[],
): GroupChoice {
  const { spec } = parts;
  const candidates = groups.map((group, index): Candidate => ({
    ...scoresOf(group),
    hasBaseline: group.greedyBaseline !== undefined,
    chance: chance?.[index],
  }));
  if (!comparesPerTag(spec)) return selectWithin(candidates, parts, spec.filter, spec.rollout.promptsPerStep);
  const shares = shareGroups(spec);
  const kept: { index: number; weight: number }[] = [];
  const dropped: (DroppedGroup | undefined)[] = groups.map(() => undefined);
  for (const [tag, indices] of indicesByTag(groups.map(tagOf))) {
    const { bound, filter } = ownOptions(tag, parts);
    const own = selectWithin(
      indices.map((index) => candidates[index] as Candidate),
      bound,
      filter,
      shares.get(tag),
    );
    own.kept.forEach((position, place) =>
      kept.push({ index: indices[position] as number, weight: own.weights?.[place] ?? 1 }),
    );
    own.dropped.forEach((reason, position) => (dropped[indices[position] as number] = reason));
  }
  kept.sort((a, b) => a.index - b.index);
  return {
    kept: kept.map(({ index }) => index),
    weights: Float64Array.from(kept, ({ weight }) => weight),
    dropped,
  };
}

/** The options of the algorithm and of the filter for a tag. */
function ownOptions(
  tag: string,
  parts: SelectParts,
): { readonly bound: BoundAlgorithm; readonly filter: GroupFilterSpec | undefined } {
  const { spec } = parts;
  const { filter, ...select } = spec.environments?.[tag]?.select ?? {};
  const { algorithm, algorithmParams } = algorithmOf(tag, parts);
  return {
    bound: { algorithm, algorithmParams: { ...(algorithmParams as object), ...select } },
    filter: spec.filter && { ...spec.filter, ...(filter as Partial<GroupFilterSpec> | undefined) },
  };
}

/** @param planned groups of a full batch; more are given where dropped ones were replaced */
function selectWithin(
  groups: readonly Candidate[],
  { algorithm, algorithmParams }: BoundAlgorithm,
  filter: GroupFilterSpec | undefined,
  planned = groups.length,
): GroupChoice {
  const usable = selectUsable(groups, { algorithm, algorithmParams });
  const isUsable = new Set(usable.kept);
  const dropped = groups.map((_, index): DroppedGroup | undefined =>
    isUsable.has(index) ? undefined : reasonOf(usable.reasons[index], usable.numbers?.[index]),
  );
  if (filter === undefined) return { kept: usable.kept, dropped };
  const filtered = filterGroups(
    usable.kept.map((index) => groups[index] as Candidate),
    filter,
  );
  usable.kept.forEach((index, position) => {
    const reason = filtered.reasons[position];
    if (reason !== 'kept') dropped[index] = reasonOf(reason, filtered.numbers[position]);
  });
  return {
    kept: filtered.kept.map((position) => usable.kept[position] as number),
    weights: estimateGroupWeights(
      filtered.kept.map((position) => filtered.scores[position] as number),
      Math.max(filtered.kept.length, Math.min(planned, groups.length)),
      { scaling: filter.lossScaling, reweight: filter.reweight },
    ),
    dropped,
  };
}

/** What the algorithm chooses; groups without the greedy trajectory that it compares with are not offered to it. */
function selectUsable(
  groups: readonly Candidate[],
  { algorithm, algorithmParams }: BoundAlgorithm,
): Selection {
  const scores = groups.map(({ group, totals }) => ({ group, totals }));
  const isNeeded = algorithm.needs(algorithmParams).greedyBaseline === true;
  if (!isNeeded || groups.every(({ hasBaseline }) => hasBaseline))
    return algorithm.select(scores, algorithmParams);
  const offered = groups.flatMap(({ hasBaseline }, index) => (hasBaseline ? [index] : []));
  const chosen = algorithm.select(
    offered.map((index) => scores[index] as GroupScores),
    algorithmParams,
  );
  const placeOf = new Map(offered.map((index, place) => [index, place]));
  return {
    kept: chosen.kept.map((place) => offered[place] as number),
    reasons: groups.map((_, index) => chosen.reasons[placeOf.get(index) ?? -1] ?? 'no-greedy-baseline'),
    numbers: groups.map((_, index) => chosen.numbers?.[placeOf.get(index) ?? -1] ?? {}),
  };
}

/** What a plugin says, as it is stored: a short code, and finite numbers. */
function reasonOf(reason: string | undefined, numbers: DroppedGroup['numbers'] = {}): DroppedGroup {
  const code = (reason ?? '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, 40);
  return {
    reason: code === '' || code === 'kept' ? 'not-chosen' : code,
    numbers: Object.fromEntries(
      Object.entries(numbers)
        .filter(([, value]) => Number.isFinite(value))
        .slice(0, 12)
        .map(([name, value]) => [name.slice(0, 40), value]),
    ),
  };
}

/** Whether trajectories of different tags are never compared with each other. */
export const comparesPerTag = ({ environments, mixing }: RunSpec): boolean =>
  environments !== undefined && mixing?.compare !== 'together';

/** Lists the positions of each tag, in order of first appearance. */
export function indicesByTag(tags: readonly string[]): Map<string, number[]> {
  const found = new Map<string, number[]>();
  tags.forEach((tag, index) => {
    const known = found.get(tag);
    if (known === undefined) found.set(tag, [index]);
    else known.push(index);
  });
  return found;
}

/** The tag of a group; empty in a run of one environment. */
export const tagOf = ({ trajectories }: TrajectoryGroup): string => trajectories[0]?.environmentTag ?? '';

function scoresOf(group: TrajectoryGroup): GroupScores {
  return { group: group.group, totals: group.trajectories.map((trajectory) => trajectory.score.total) };
}
