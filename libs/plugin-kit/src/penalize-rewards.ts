/**
 * @file The divergence from a reference policy as part of the reward: r_t − β k_t at every loss token, k_t an estimate of
 * KL(policy || reference) at the sampled token. Source: Ziegler et al. 2019, arXiv:1909.08593, eq. 2 (k1); the estimators are
 * those of the term `klPenalty`. A reward has no gradient, so k3 is what `k3-straight-through` would be, and k1 is the one whose
 * policy gradient is that of the divergence.
 */
import { defineMetric } from '@espalier/contracts';
import type { CreditTrajectory } from './define-algorithm.js';

const EXPONENT_LIMIT = 20;
const VALUE_LIMIT = 10;

export const KL_REWARD = defineMetric({
  name: 'credit/kl_reference',
  unit: 'nats',
  formula:
    'mean over loss tokens of the chosen estimate of KL(policy || reference) at sampling; with algorithm.klRewardCoefficient above 0',
});
defineMetric({
  name: 'algorithm/kl_reward_coefficient',
  unit: '1',
  formula:
    'weight of the divergence from the starting policy in the rewards of this update; with algorithm.klTarget; in a run in several environments algorithm/kl_reward_coefficient/<tag> for each',
});

/** The estimators for rewards, by name. */
export const klRewardEstimators = ['k1', 'abs', 'k2', 'k3'] as const;
export type KlRewardEstimator = (typeof klRewardEstimators)[number];

export interface PenalizedTrajectory {
  /** rewards less weight · k at loss tokens, and the total less their sum */
  readonly trajectory: CreditTrajectory;
  /** sum of the estimate over loss tokens, nats */
  readonly kl: number;
  /** loss tokens */
  readonly tokens: number;
}

/**
 * Takes the weighted divergence of each loss token off its reward.
 *
 * @param weight β, 0 or more, reward per nat
 */
export function penalizeRewards(
  trajectory: CreditTrajectory,
  { weight, estimator }: { readonly weight: number; readonly estimator: KlRewardEstimator },
): PenalizedTrajectory {
  const { lossMask, referenceGaps = new Float64Array(lossMask.length) } = trajectory;
  const kl = referenceGaps.map((gap, t) => (lossMask[t] === 1 ? estimateAt(gap, estimator) : 0)); // [T]
  const sum = kl.reduce((total, one) => total + one, 0);
  return {
    trajectory: {
      ...trajectory,
      total: trajectory.total - weight * sum,
      rewards: trajectory.rewards.map((reward, t) => reward - weight * (kl[t] as number)),
    },
    kl: sum,
    tokens: lossMask.reduce((total, bit) => total + bit, 0),
  };
}

/** The estimate at x = logprob − referenceLogprob, nats. */
function estimateAt(x: number, estimator: KlRewardEstimator): number {
  switch (estimator) {
    case 'k1':
      return x;
    case 'abs':
      return Math.abs(x);
    case 'k2':
      return (x * x) / 2;
    case 'k3': {
      const negated = Math.min(EXPONENT_LIMIT, Math.max(-EXPONENT_LIMIT, -x));
      return Math.min(VALUE_LIMIT, Math.exp(negated) - negated - 1);
    }
  }
}
