/**
 * @file One advantage per trajectory, relative to the other trajectories of its group; no critic.
 * Sources: Shao et al. 2024, arXiv:2402.03300, sec. 4.1.2 (group deviation); Liu et al. 2025, arXiv:2503.20783
 * (Dr. GRPO, no divisor); Hu et al. 2025, arXiv:2501.03262, eq. 7 (one deviation for the whole batch); Tajwar et al. 2026,
 * arXiv:2602.02710 (MaxRL, the mean).
 */
import { AppError } from '@espalier/contracts';
import { listGroups } from './baselines.js';
import { assertSameLength, estimateMoments } from './statistics.js';

/** The divisor of differences from the group mean. */
export type GroupNormalization = 'group' | 'batch' | 'none' | 'mean';

const EPSILON = 1e-6;

/** A mean that is smaller than this share of the largest total is a rounding error of 0. */
const SMALLEST_MEAN = 1e-9;

const ALONE = { mean: 0, std: 1, largest: 0, isAlone: true };

/**
 * Estimates advantages as total minus group mean, divided according to `normalization`.
 *
 * `group`: by the group's standard deviation + 1e-6; `batch`: by the standard deviation of all centred totals
 * + 1e-6; `none`: by 1; `mean`: by the group's mean. Deviations have divisor n − 1. A group of one
 * has mean 0 and divisor 1.
 *
 * @param totals one per trajectory, raw
 * @param groups group of each trajectory; any integers
 * @returns one per trajectory; sums to 0 in every group of two or more
 * @throws objective.length_mismatch; contracts.invalid_value for `mean` where it is not positive and totals differ
 */
export function estimateGroupAdvantages(
  totals: ArrayLike<number>,
  groups: ArrayLike<number>,
  normalization: GroupNormalization,
): Float64Array {
  assertSameLength('group advantages', { totals, groups });
  const moments = new Map(
    listGroups(groups).map((members) => {
      const own = members.map((i) => totals[i] as number);
      const isAlone = own.length === 1;
      const largest = own.reduce((most, total) => Math.max(most, Math.abs(total)), 0);
      const ofGroup = isAlone ? ALONE : { ...estimateMoments(own), largest, isAlone };
      return [groups[members[0] as number] as number, ofGroup];
    }),
  );
  const momentsOf = (i: number) => moments.get(groups[i] as number) as typeof ALONE;
  const centred = Float64Array.from(totals, (total, i) => total - momentsOf(i).mean);
  if (normalization === 'none') return centred;
  if (normalization === 'mean') return centred.map((value, i) => divideByMean(value, momentsOf(i)));
  if (normalization === 'group') return centred.map((value, i) => value / (momentsOf(i).std + EPSILON));
  const { std } = centred.length === 1 ? { std: 1 } : estimateMoments(centred);
  return centred.map((value) => value / (std + EPSILON));
}

function divideByMean(value: number, { mean, largest, isAlone }: typeof ALONE): number {
  if (value === 0 || isAlone) return value;
  if (mean > SMALLEST_MEAN * largest || Number.isNaN(mean)) return value / mean;
  throw new AppError(
    'contracts.invalid_value',
    `group advantages: a group has mean total ${mean}, by which nothing can be divided; use another normalisation, or rewards without penalties`,
  );
}

/** Gives every loss token the advantage of its trajectory. */
export function broadcastToTokens(
  advantages: ArrayLike<number>,
  lossMask: readonly ArrayLike<number>[],
): Float64Array[] {
  assertSameLength('broadcast', { advantages, lossMask });
  return lossMask.map((mask, i) => {
    const own = new Float64Array(mask.length);
    // filled by hand: masks are as long as trajectories, and Float64Array.from goes over an iterator
    for (let t = 0; t < mask.length; t += 1) if (mask[t]) own[t] = advantages[i] as number;
    return own;
  });
}
