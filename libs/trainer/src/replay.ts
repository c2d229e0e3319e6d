/**
 * @file Replay: groups of earlier iterations that are learned from again, with the log-probabilities of the policy that
 * sampled them, and no longer than a bound on their age.
 * Sources: Zhang et al. 2025, arXiv:2507.07451 (RLEP), earlier trajectories mixed into batches of new ones; Fu et al. 2025,
 * arXiv:2505.24298 (AReaL), sec. 5.1, a bound on how many versions older than the policy a trajectory may be.
 * Differences: whole groups are kept, so that advantages are compared as when they were sampled. What is drawn and what
 * stays held, the algorithm may decide (`drawReplay`, `holdReplay` of the kit); by default groups are drawn uniformly, and
 * every group that the run learned from is held, whatever its score.
 */
import type { RunSpec, Trajectory } from '@espalier/contracts';
import { isRecord } from '@espalier/contracts/values';
import type { AlgorithmDefinition, HeldGroup } from '@espalier/plugin-kit';
import { createStream, deriveSeed } from '@espalier/random';
import type { BoundAlgorithm } from './tag-algorithms.js';

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

interface ReplayParts extends BoundAlgorithm {
  readonly spec: RunSpec;
  /** that the update completes, from 1 */
  readonly step: number;
  /** optimizer steps of the policy so far */
  readonly policySteps: number;
}

type ReplayHook = NonNullable<AlgorithmDefinition<unknown>['drawReplay']>;

const drawUniformly: ReplayHook = (held, _, { limit, stream }) =>
  stream.shuffle(held.map((_group, place) => place)).slice(0, limit);

const holdNewest: ReplayHook = (groups, _, { limit }) => groups.map((_group, place) => place).slice(-limit);

/**
 * Draws the earlier groups of an update.
 *
 * @throws plugin.failed, naming the algorithm, where it names a group that there is not, one twice, or too many
 */
export function drawReplay(buffer: readonly LearnedGroup[], parts: ReplayParts): Drawn {
  const { replay } = parts.spec.update;
  if (replay === undefined) return { groups: [], held: [], expired: 0 };
  const held = buffer.filter((group) => parts.policySteps - group.policySteps <= replay.maxAge);
  const groups = choose(held, parts.algorithm.drawReplay ?? drawUniformly, 'replay', replay.groups, parts);
  return { groups, held, expired: buffer.length - held.length };
}

/**
 * Chooses which groups are held after an update, of those that were and the new ones.
 *
 * @throws plugin.failed as {@link drawReplay}
 */
export function holdGroups(groups: readonly LearnedGroup[], parts: ReplayParts): readonly LearnedGroup[] {
  const { replay } = parts.spec.update;
  if (replay === undefined) return [];
  return choose(groups, parts.algorithm.holdReplay ?? holdNewest, 'replay-hold', replay.capacity, parts);
}

/** The groups that a hook names, oldest first. */
function choose(
  groups: readonly LearnedGroup[],
  hook: ReplayHook,
  purpose: string,
  limit: number,
  { spec: { seed }, step, policySteps, algorithmParams }: ReplayParts,
): readonly LearnedGroup[] {
  const stream = createStream(deriveSeed(seed, purpose, step));
  const told = groups.map((group) => describeGroup(group, policySteps));
  const named = hook(told, algorithmParams, { limit, stream });
  return [...named].sort((a, b) => a - b).map((place) => groups[place] as LearnedGroup);
}

/** What an algorithm is told of a group. */
function describeGroup(
  { trajectories, weight, policySteps: sampledAt }: LearnedGroup,
  policySteps: number,
): HeldGroup {
  const tag = trajectories[0]?.environmentTag;
  return {
    totals: trajectories.map(({ score }) => score.total),
    successes: trajectories.map(({ success }) => success),
    ...(tag === undefined ? {} : { tag }),
    weight,
    age: policySteps - sampledAt,
  };
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
