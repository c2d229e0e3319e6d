/**
 * @file Keeps the groups whose trajectories differ most in their total.
 * Source: RAGEN, Wang et al. 2025, arXiv:2504.20073 (StarPO-S: uncertainty-based filtering).
 * Uses raw totals: normalisation within groups would make all deviations equal.
 */
import { AppError } from '@espalier/contracts';
import { estimateMoments } from './statistics.js';

export interface GroupFilter {
  /** indices into the given groups, ascending */
  readonly kept: number[];
  /** per group: `kept`, `low variance`, or `zero variance` */
  readonly reasons: string[];
  /** per group, divisor n − 1 */
  readonly deviations: Float64Array; // [P]
}

/** Corrects products such as 0.29 · 100, which is slightly less than 29 in binary. */
const ROUNDING = 1e-9;

/** Significant digits for ranking deviations; the rest is rounding error, which would break ties at random. */
const RANKED_DIGITS = 12;

/** The number of groups kept: ⌊groups · ratio⌋, at least one unless there are none. */
export function keptGroupCount(groups: number, ratio: number): number {
  return Math.min(groups, Math.max(1, Math.floor(groups * ratio + ROUNDING)));
}

/**
 * Keeps the share `ratio` of groups with the largest standard deviation of raw totals, ties by lower index.
 *
 * @param totals per group, the raw totals of its trajectories
 * @param ratio  in (0, 1]
 * @throws contracts.invalid_value when `ratio` is outside its range
 */
export function filterByVariance(totals: readonly ArrayLike<number>[], ratio: number): GroupFilter {
  if (!(ratio > 0 && ratio <= 1)) {
    throw new AppError(
      'contracts.invalid_value',
      `variance filter: ratio is ${ratio}; expected a number in (0, 1]`,
    );
  }
  const deviations = Float64Array.from(totals, (own) => estimateMoments(own).std);
  const deviationOf = (index: number) => deviations[index] as number;
  const ranks = Array.from(deviations, (deviation) => Number(deviation.toPrecision(RANKED_DIGITS)));
  const rankOf = (index: number) => ranks[index] as number;
  const ranked = totals.map((_, index) => index).sort((a, b) => rankOf(b) - rankOf(a) || a - b);
  const kept = ranked.slice(0, keptGroupCount(totals.length, ratio)).sort((a, b) => a - b);
  const isKept = new Set(kept);
  const reasons = totals.map((_, index) => {
    if (isKept.has(index)) return 'kept';
    return deviationOf(index) === 0 ? 'zero variance' : 'low variance';
  });
  return { kept, reasons, deviations };
}
