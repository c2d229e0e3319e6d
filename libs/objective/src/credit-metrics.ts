/**
 * @file Metrics of credit assignment, over the loss tokens of a batch.
 */
import { defineMetric } from '@espalier/contracts';
import { assertSameLength, estimateMoments, gatherMasked } from './advantage/statistics.js';

const ADVANTAGE_MEAN = defineMetric({
  name: 'credit/advantage_mean',
  unit: 'reward',
  formula: 'mean over loss tokens of the advantage before normalisation',
});
const ADVANTAGE_STD = defineMetric({
  name: 'credit/advantage_std',
  unit: 'reward',
  formula: 'standard deviation (divisor n - 1) over loss tokens of the advantage before normalisation',
});
const ADVANTAGE_MAX = defineMetric({
  name: 'credit/advantage_max',
  unit: 'reward',
  formula: 'largest absolute advantage of a loss token before normalisation',
});
const EXPLAINED_VARIANCE = defineMetric({
  name: 'critic/explained_variance',
  unit: '1',
  formula: '1 - var(returns - values) / var(returns) over loss tokens; 0 where returns do not vary',
});

/** Returns whose deviation is at most this share of their largest operand differ only by rounding. */
const ROUNDING = 1e-10;

/** Estimates `credit/advantage_{mean,std,max}` from advantages before normalisation; arrays each [T*]. */
export function estimateAdvantageMetrics(
  advantages: readonly ArrayLike<number>[],
  lossMask: readonly ArrayLike<number>[],
): Record<string, number> {
  const gathered = gatherMasked(advantages, lossMask);
  const { mean, std } = estimateMoments(gathered);
  const max = gathered.reduce((largest, value) => Math.max(largest, Math.abs(value)), 0);
  return { [ADVANTAGE_MEAN.name]: mean, [ADVANTAGE_STD.name]: std, [ADVANTAGE_MAX.name]: max };
}

/**
 * Estimates the share of the variance of returns that the critic's values explain, over loss tokens.
 *
 * @returns at most 1; 0 for a constant critic, negative for a worse one; 0 where returns do not vary
 * @throws objective.length_mismatch
 */
export function estimateExplainedVariance(
  values: readonly ArrayLike<number>[],
  returns: readonly ArrayLike<number>[],
  lossMask: readonly ArrayLike<number>[],
): number {
  assertSameLength('explained variance', { values, returns, lossMask });
  const targets = gatherMasked(returns, lossMask);
  const predicted = gatherMasked(values, lossMask);
  const { std } = estimateMoments(targets);
  const largest = [...targets, ...predicted].reduce((most, value) => Math.max(most, Math.abs(value)), 0);
  if (std <= ROUNDING * largest) return 0;
  const residual = estimateMoments(targets.map((target, i) => target - (predicted[i] as number))).std;
  return 1 - (residual / std) ** 2;
}

/** Estimates `critic/explained_variance` under its metric name. */
export function estimateCriticMetrics(
  values: readonly ArrayLike<number>[],
  returns: readonly ArrayLike<number>[],
  lossMask: readonly ArrayLike<number>[],
): Record<string, number> {
  return { [EXPLAINED_VARIANCE.name]: estimateExplainedVariance(values, returns, lossMask) };
}
