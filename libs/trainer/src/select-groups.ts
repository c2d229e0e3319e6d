/**
 * @file Lets the algorithm choose the groups to learn from: among all, or within each tag of a run in several
 * environments, whose rewards may have different scales.
 */
import type { RunSpec, TrajectoryGroup } from '@espalier/contracts';
import type { AlgorithmDefinition, GroupScores, Selection } from '@espalier/plugin-kit';

interface SelectParts {
  readonly spec: RunSpec;
  readonly algorithm: AlgorithmDefinition<unknown>;
  readonly algorithmParams: unknown;
}

/** Chooses the groups that the update learns from. */
export function selectGroups(
  groups: readonly TrajectoryGroup[],
  { spec, algorithm, algorithmParams }: SelectParts,
): Selection {
  const scores = groups.map(scoresOf);
  if (!comparesPerTag(spec)) return algorithm.select(scores, algorithmParams);
  const kept: number[] = [];
  const reasons: string[] = groups.map(() => '');
  for (const [tag, indices] of indicesByTag(groups.map(tagOf))) {
    const select = spec.environments?.[tag]?.select;
    const params = select === undefined ? algorithmParams : { ...(algorithmParams as object), ...select };
    const own = algorithm.select(
      indices.map((index) => scores[index] as GroupScores),
      params,
    );
    kept.push(...own.kept.map((position) => indices[position] as number));
    own.reasons.forEach((reason, position) => (reasons[indices[position] as number] = reason));
  }
  return { kept: kept.sort((a, b) => a - b), reasons };
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

const tagOf = ({ trajectories }: TrajectoryGroup): string => trajectories[0]?.environmentTag ?? '';

function scoresOf(group: TrajectoryGroup): GroupScores {
  return { group: group.group, totals: group.trajectories.map((trajectory) => trajectory.score.total) };
}
