/**
 * @file Groups of one initial state, and the greedy trajectory that an algorithm may compare each with. Its address in the
 * group is behind those of all others that may be sampled, so it has noise of its own as one more trajectory would, unless
 * `rollout.noiseSeed` is `per-group`: what it earns is independent of what the others drew, as a baseline has to be.
 * Source: Li et al. 2023, arXiv:2310.10505 (ReMax), sec. 4.
 */
import type { RunSpec, Trajectory, TrajectoryGroup } from '@espalier/contracts';
import { closeFailed } from './score.js';
import type { Slot } from './group-rounds.js';

/** The greedy episode of each group. */
export function listGreedySlots(
  groups: number,
  { groupSize, adaptive }: Pick<RunSpec['rollout'], 'groupSize' | 'adaptive'>,
): Slot[] {
  const index = adaptive?.most ?? groupSize;
  return Array.from({ length: groups }, (_, own): Slot => ({ own, index, isGreedy: true }));
}

/** Groups with at least one sampled trajectory; greedy ones without any are alone. */
export function formGroups(
  trajectories: readonly Trajectory[],
  greedy: readonly Trajectory[],
): { readonly groups: TrajectoryGroup[]; readonly alone: Trajectory[] } {
  const sampled = new Map<number, Trajectory[]>();
  for (const trajectory of trajectories) {
    const known = sampled.get(trajectory.group);
    if (known === undefined) sampled.set(trajectory.group, [trajectory]);
    else known.push(trajectory);
  }
  const baselines = new Map(greedy.map((trajectory) => [trajectory.group, trajectory]));
  const groups = [...sampled].flatMap(([group, trajectories]) => {
    const first = trajectories[0];
    if (first === undefined) return [];
    const greedyBaseline = baselines.get(group);
    return [
      {
        group,
        environment: first.environment,
        stateSeed: first.seeds.state,
        trajectories,
        ...(greedyBaseline === undefined ? {} : { greedyBaseline }),
      },
    ];
  });
  return { groups, alone: greedy.filter(({ group }) => !sampled.has(group)) };
}

/** Records a greedy trajectory that nothing is compared with, as all others of its group failed. */
export function closeAlone(trajectory: Trajectory): Trajectory {
  const error =
    'greedy baseline: all sampled trajectories of its group failed, so nothing is compared with it';
  return closeFailed({ ...trajectory, stopReason: 'error', success: false, error });
}
