/** @file Which of a step's trajectories are shown. */
import type { FailureLabel } from '@espalier/contracts/failure-labels';
import type { StoredTrajectory } from '@espalier/recorder';

export interface TrajectoryFilter {
  readonly split?: 'train' | 'validation';
  readonly group?: number;
  readonly index?: number;
  /** only trajectories without success, errors included */
  readonly failed?: boolean;
  /** only trajectories with this failure label */
  readonly label?: FailureLabel;
  /** only trajectories of this environment of a run in several */
  readonly tag?: string;
  readonly limit?: number;
}

export interface ChosenTrajectories {
  readonly shown: readonly StoredTrajectory[];
  /** how many fit the filter */
  readonly matching: number;
}

const usualLimit = 8;

/**
 * Chooses from the trajectories of one step. Without a split those of training, where the step has any. With no
 * filter at all: the first success and the first trajectory without.
 */
export function chooseTrajectories(
  all: readonly StoredTrajectory[],
  { split, group, index, failed = false, label, tag, limit }: TrajectoryFilter,
): ChosenTrajectories {
  const chosenSplit = split ?? usualSplit(all);
  const matching = all.filter(
    (one) =>
      one.split === chosenSplit &&
      (group === undefined || one.group === group) &&
      (index === undefined || one.index === index) &&
      (tag === undefined || one.environmentTag === tag) &&
      !(failed && one.success) &&
      (label === undefined || one.labels.some(({ name }) => name === label)),
  );
  const isOpen = [group, index, label, tag, limit].every((chosen) => chosen === undefined) && !failed;
  const sampled = matching.filter(({ update }) => update?.outcome !== 'greedy-baseline');
  const pair = [sampled.find((one) => one.success), sampled.find((one) => !one.success)];
  const shown = isOpen ? pair.filter((one) => one !== undefined) : matching.slice(0, limit ?? usualLimit);
  return { shown, matching: matching.length };
}

/** Says what a filter names that the step does not have; undefined when only `failed` or a label left nothing. */
export function describeMissing(
  all: readonly StoredTrajectory[],
  { split, group, index, tag }: TrajectoryFilter,
): string | undefined {
  const chosenSplit = split ?? usualSplit(all);
  const ofSplit = all.filter((one) => one.split === chosenSplit);
  if (ofSplit.length === 0) return `it has no trajectories of ${chosenSplit}; leave --split out`;
  const tags = [...new Set(ofSplit.flatMap(({ environmentTag = [] }) => environmentTag))];
  if (tag !== undefined && !tags.includes(tag))
    return `no trajectories of tag ${tag}; ${tags.length === 0 ? 'this run has no tags' : `tags are ${tags.join(', ')}`}`;
  const ofGroup = ofSplit.filter((one) => group === undefined || one.group === group);
  if (ofGroup.length === 0)
    return `no group ${group}; groups are ${rangeOf(ofSplit.map((one) => one.group))}`;
  if (index === undefined || ofGroup.some((one) => one.index === index)) return undefined;
  return `no trajectory with index ${index}; indices are ${rangeOf(ofGroup.map((one) => one.index))}`;
}

const usualSplit = (all: readonly StoredTrajectory[]): 'train' | 'validation' =>
  all.some((one) => one.split === 'train') ? 'train' : 'validation';

function rangeOf(numbers: readonly number[]): string {
  const least = Math.min(...numbers);
  const most = Math.max(...numbers);
  return least === most ? String(least) : `${least}..${most}`;
}
