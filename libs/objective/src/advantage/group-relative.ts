/**
 * @file One advantage per trajectory, relative to the other trajectories of its group; no critic.
 * Sources: Shao et al. 2024, arXiv:2402.03300, sec. 4.1.2 (group deviation); Liu et al. 2025, arXiv:2503.20783
 * (Dr. GRPO, no divisor); Hu et al. 2025, arXiv:2501.03262 (one deviation for the whole batch).
 */
import { assertSameLength, estimateMoments } from './statistics.js';

/** The divisor of differences from the group mean. */
export type GroupNormalization = 'group' | 'batch' | 'none';

const EPSILON = 1e-6;

/**
 * Estimates advantages as total minus group mean, divided according to `normalization`.
 *
 * `group`: by the group's standard deviation + 1e-6; `batch`: by the standard deviation of all centred totals
 * + 1e-6; `none`: by 1. Deviations have divisor n − 1. A group of one has mean 0 and deviation 1.
 *
 * @param totals one per trajectory, raw
 * @param groups group of each trajectory; any integers
 * @returns one per trajectory; sums to 0 in every group of two or more
 * @throws objective.length_mismatch
 */
export function estimateGroupAdvantages(
  totals: ArrayLike<number>,
  groups: ArrayLike<number>,
  normalization: GroupNormalization,
): Float64Array {
  assertSameLength('group advantages', { totals, groups });
  const totalsByGroup = new Map<number, number[]>();
  for (let i = 0; i < totals.length; i += 1) {
    const group = groups[i] as number;
    totalsByGroup.set(group, [...(totalsByGroup.get(group) ?? []), totals[i] as number]);
  }
  const moments = new Map(
    [...totalsByGroup].map(([group, own]) => [
      group,
      own.length === 1 ? { mean: 0, std: 1 } : estimateMoments(own),
    ]),
  );
  const momentsOf = (i: number) => moments.get(groups[i] as number) as { mean: number; std: number };
  const centred = Float64Array.from(totals, (total, i) => total - momentsOf(i).mean);
  if (normalization === 'none') return centred;
  if (normalization === 'group') return centred.map((value, i) => value / (momentsOf(i).std + EPSILON));
  const { std } = centred.length === 1 ? { std: 1 } : estimateMoments(centred);
  return centred.map((value) => value / (std + EPSILON));
}

/** Gives every loss token the advantage of its trajectory. */
export function broadcastToTokens(
  advantages: ArrayLike<number>,
  lossMask: readonly ArrayLike<number>[],
): Float64Array[] {
  assertSameLength('broadcast', { advantages, lossMask });
  return lossMask.map((mask, i) =>
    Float64Array.from(mask, (isInLoss) => (isInLoss ? (advantages[i] as number) : 0)),
  );
}
