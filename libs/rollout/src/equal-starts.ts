/**
 * @file The trajectories of a group must have the same first state, because they share its seed. If they differ,
 * something other than the seed decides the state, usually state shared between instances of an environment, and
 * comparing them is meaningless: the whole group is recorded as failed and left out.
 */
import type { Trajectory } from '@espalier/contracts';
import { closeFailed } from './score.js';

/** A trajectory of a group with different first states. */
export interface UnequalStart {
  readonly trajectory: Trajectory;
  readonly finding: string;
}

/** Finds all trajectories of groups with different first states. */
export function findUnequalStarts(trajectories: readonly Trajectory[]): UnequalStart[] {
  const groups = new Map<number, Trajectory[]>();
  for (const trajectory of trajectories) {
    if (trajectory.turns.length === 0) continue;
    groups.set(trajectory.group, [...(groups.get(trajectory.group) ?? []), trajectory]);
  }
  return [...groups.values()].flatMap((trajectories) => {
    const [first] = trajectories;
    const other = trajectories.find((trajectory) => first !== undefined && !isEqualStart(first, trajectory));
    if (first === undefined || other === undefined) return [];
    const finding =
      `environment "${first.environment}"${first.environmentTag === undefined ? '' : ` (tag ${first.environmentTag})`}, hook "reset" (turn 1, state seed ${first.seeds.state}): trajectories ` +
      `${first.index} and ${other.index} of one group have different first states; derive the state from the seed ` +
      `alone, and share nothing between instances`;
    return trajectories.map((trajectory) => ({ trajectory, finding }));
  });
}

/** Records such a trajectory as failed: its score is 0, and it never enters a batch. */
export function closeUnequal({ trajectory, finding }: UnequalStart): Trajectory {
  return closeFailed({ ...trajectory, stopReason: 'error', success: false, error: finding });
}

function isEqualStart(one: Trajectory, other: Trajectory): boolean {
  const a = one.turns[0];
  const b = other.turns[0];
  return a?.observation === b?.observation && a?.stateKey === b?.stateKey;
}
