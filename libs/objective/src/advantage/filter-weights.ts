/**
 * @file What the trajectories of kept groups count in the loss: less where few groups are left, and less where a group
 * hardly differs. Source: RAGEN-2, arXiv:2604.06268 (filter loss scaling; soft advantage reweighting).
 */
import { AppError } from '@espalier/contracts';

export interface FilterWeights {
  /** the kept share of groups, its root, or 1 */
  readonly scaling: 'none' | 'linear' | 'sqrt';
  /** a group's score relative to the largest, or 1 */
  readonly reweight: 'none' | 'score';
}

/**
 * Computes the factor of the advantages of each kept group.
 *
 * @param scores of the kept groups, 0 or more; without any above 0 they do not reweight
 * @param groups number of groups that a full batch has
 * @returns one per kept group
 */
export function estimateGroupWeights(
  scores: ArrayLike<number>,
  groups: number,
  { scaling, reweight }: FilterWeights,
): Float64Array {
  if (groups < scores.length)
    throw new AppError(
      'contracts.invalid_value',
      `weigh groups: ${scores.length} groups kept of ${groups}; expected at most as many`,
    );
  const share = scores.length / Math.max(1, groups);
  const scale = { none: 1, linear: share, sqrt: Math.sqrt(share) }[scaling];
  const largest = Array.from(scores).reduce((a, b) => Math.max(a, b), 0);
  return Float64Array.from(scores, (score) =>
    reweight === 'none' || largest === 0 ? scale : (scale * score) / largest,
  );
}
