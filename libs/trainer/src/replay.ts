/**
 * @file Replay: groups of earlier iterations that are learned from again, with the log-probabilities of the policy that
 * sampled them, and no longer than a bound on their age.
 * Sources: Zhang et al. 2025, arXiv:2507.07451 (RLEP), earlier trajectories mixed into batches of new ones; Fu et al. 2025,
 * arXiv:2505.24298 (AReaL), sec. 5.1, a bound on how many versions older than the policy a trajectory may be.
 * Differences: whole groups are kept, so that advantages are compared as when they were sampled; they are drawn uniformly;
 * every group that the run learned from is kept, whatever its score.
 */
import type { RunSpec, Trajectory } from '@espalier/contracts';
import { isRecord } from '@espalier/contracts/values';
import { createStream, deriveSeed } from '@espalier/random';

/** A group to learn from. */
export interface LearnedGroup {
  readonly trajectories: readonly Trajectory[];
  /** raw total of the greedy trajectory that it is compared with, by the policy that sampled it; absent: none was played */
  readonly greedyTotal?: number | undefined;
  /** factor of its advantages */
  readonly weight: number;
  /** optimizer steps of the policy when it was sampled */
  readonly policySteps: number;
}

/** The groups of an update, and what became of the held ones. */
export interface Drawn {
  /** earlier groups that join */
  readonly groups: readonly LearnedGroup[];
  /** held groups that are young enough, oldest first */
  readonly held: readonly LearnedGroup[];
  /** held groups that are too old now */
  readonly expired: number;
}

/**
 * Draws the earlier groups of an update.
 *
 * @param step that the update completes, from 1
 * @param policySteps optimizer steps of the policy before the update
 */
export function drawReplay(
  { seed, update: { replay } }: RunSpec,
  buffer: readonly LearnedGroup[],
  { step, policySteps }: { readonly step: number; readonly policySteps: number },
): Drawn {
  if (replay === undefined) return { groups: [], held: [], expired: 0 };
  const held = buffer.filter((group) => policySteps - group.policySteps <= replay.maxAge);
  const places = createStream(deriveSeed(seed, 'replay', step)).shuffle(held.map((_, place) => place));
  const drawn = places.slice(0, replay.groups).sort((a, b) => a - b);
  return {
    groups: drawn.map((place) => held[place] as LearnedGroup),
    held,
    expired: buffer.length - held.length,
  };
}

/** Holds the new groups of an update; the oldest make room. */
export function holdGroups(
  { update: { replay } }: RunSpec,
  held: readonly LearnedGroup[],
  added: readonly LearnedGroup[],
): readonly LearnedGroup[] {
  return replay === undefined ? [] : [...held, ...added].slice(-replay.capacity);
}

/** Whether a stored value is a group to learn from. */
export function isLearnedGroup(value: unknown): value is LearnedGroup {
  return (
    isRecord(value) &&
    Number.isFinite(value['weight']) &&
    (value['greedyTotal'] === undefined || Number.isFinite(value['greedyTotal'])) &&
    Number.isSafeInteger(value['policySteps']) &&
    Array.isArray(value['trajectories']) &&
    value['trajectories'].every(isTrajectory)
  );
}

/** Whether a stored value has what learning reads of a trajectory. */
export const isTrajectory = (value: unknown): boolean =>
  isRecord(value) &&
  typeof value['id'] === 'string' &&
  value['tokens'] instanceof Int32Array &&
  value['logprobs'] instanceof Float32Array &&
  value['logprobs'].length === value['tokens'].length &&
  Array.isArray(value['spans']) &&
  Array.isArray(value['turns']) &&
  isRecord(value['score']);
