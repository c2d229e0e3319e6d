/**
 * @file Members of a group must see the same first state: the seed of the state is theirs together. Where they do not,
 * something else than the seed decides it, most often state that instances of an environment share, and comparing
 * the members with each other means nothing: the whole group is recorded as failed and left out.
 */
import type { Trajectory } from '@espalier/contracts';
import { closeFailed } from './score.js';

/** A member of a group whose members began differently. */
export interface UnequalStart {
  readonly trajectory: Trajectory;
  readonly finding: string;
}

/** Finds every member of each group whose members saw different first states. */
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
      `environment "${first.environment}", hook "reset" (turn 1, state seed ${first.seeds.state}): members ` +
      `${first.index} and ${other.index} of one group saw different first states; the state seed alone must decide ` +
      `it, and instances must share nothing`;
    return trajectories.map((trajectory) => ({ trajectory, finding }));
  });
}

/** Closes such a member as a failed attempt: it is worth nothing and never enters a batch. */
export function closeUnequal({ trajectory, finding }: UnequalStart): Trajectory {
  return closeFailed({ ...trajectory, stopReason: 'error', success: false, error: finding });
}

function isEqualStart(one: Trajectory, other: Trajectory): boolean {
  const [a, b] = [one.turns[0], other.turns[0]];
  return a?.observation === b?.observation && a?.stateKey === b?.stateKey;
}
