/**
 * @file Turns compared with other turns from the same state, within a group and across trajectories and time.
 * Source: Feng et al. 2025, arXiv:2505.10978, eq. 6 and 7 (GiGPO, step-level groups around anchor states).
 */
import { listGroups } from './baselines.js';
import { assertSameLength, estimateMoments } from './statistics.js';

const EPSILON = 1e-6;

export interface AnchorAdvantages {
  /** per turn; 0 where no other turn has the same state */
  readonly advantages: Float64Array; // [K]
  /** share of turns that another one is compared with; 0 without turns */
  readonly comparedShare: number;
}

/**
 * Estimates each turn's return less the mean of the turns with the same anchor, divided by their standard deviation
 * (divisor n − 1) + 1e-6 or by nothing.
 *
 * @param returns of each turn of all trajectories, discounted
 * @param anchors of each turn: equal for turns from the same state of the same group
 * @throws objective.length_mismatch
 */
export function estimateAnchorAdvantages(
  returns: ArrayLike<number>,
  anchors: ArrayLike<string>,
  normalization: 'group' | 'none',
): AnchorAdvantages {
  assertSameLength('anchor advantages', { returns, anchors });
  const advantages = new Float64Array(returns.length);
  let compared = 0;
  for (const members of listGroups(anchors)) {
    if (members.length < 2) continue;
    compared += members.length;
    const { mean, std } = estimateMoments(members.map((k) => returns[k] as number));
    const divisor = normalization === 'group' ? std + EPSILON : 1;
    for (const k of members) advantages[k] = ((returns[k] as number) - mean) / divisor;
  }
  return { advantages, comparedShare: compared / Math.max(1, returns.length) };
}
