/**
 * @file Value normalisation: running moments of returns, so that a critic learns targets of mean 0 and deviation 1
 * whatever the scale of rewards. Source: van Hasselt et al. 2016, arXiv:1602.07714 (PopArt), sec. 2; without the
 * rescaling of the head, as Yu et al. 2022, arXiv:2103.01955 (MAPPO), sec. 5.1.
 *
 *   m ← β m + (1 − β) mean(R)   q ← β q + (1 − β) mean(R²)   w ← β w + (1 − β)
 *   μ = m / w                   σ = √(q / w − μ²)
 *
 * Differences: moments are of whole iterations, over loss tokens; the deviation is at least a hundredth of |μ|, and 1
 * where all returns are 0.
 */
import { gatherMasked } from './statistics.js';

/** Sums that the moments are computed from; `weight` is 1 less what the start still weighs. */
export interface ReturnMoments {
  readonly weight: number;
  readonly mean: number;
  readonly square: number;
}

/** Mean and deviation of returns, in reward. */
export interface ValueScale {
  readonly mean: number;
  readonly std: number;
}

const SMALLEST_SHARE = 0.01;

/**
 * Adds the returns of an iteration.
 *
 * @param memory β, in [0, 1)
 * @returns the moments as they were, if there is no loss token
 */
export function updateReturnMoments(
  before: ReturnMoments | undefined,
  returns: readonly ArrayLike<number>[], // each [T*]
  lossMask: readonly ArrayLike<number>[], // each [T*]
  memory: number,
): ReturnMoments | undefined {
  const gathered = gatherMasked(returns, lossMask);
  if (gathered.length === 0) return before;
  const average = (of: (value: number) => number): number =>
    gathered.reduce((sum, value) => sum + of(value), 0) / gathered.length;
  const keep = (old: number, now: number): number => memory * old + (1 - memory) * now;
  const { weight, mean, square } = before ?? { weight: 0, mean: 0, square: 0 };
  return {
    weight: keep(weight, 1),
    mean: keep(
      mean,
      average((value) => value),
    ),
    square: keep(
      square,
      average((value) => value * value),
    ),
  };
}

/** The scale of the moments so far; before the first returns values are as they are. */
export function scaleOfReturns(moments: ReturnMoments | undefined): ValueScale {
  if (moments === undefined) return { mean: 0, std: 1 };
  const mean = moments.mean / moments.weight;
  const variance = Math.max(0, moments.square / moments.weight - mean * mean);
  return { mean, std: Math.max(Math.sqrt(variance), SMALLEST_SHARE * Math.abs(mean)) || 1 };
}

/** Turns rewards into what the critic predicts; [n]. */
export const normalizeValues = (values: Float32Array, { mean, std }: ValueScale): Float32Array =>
  values.map((value) => (value - mean) / std);

/** Turns what the critic predicts into rewards; [n]. */
export const denormalizeValues = (outputs: Float32Array, { mean, std }: ValueScale): Float32Array =>
  outputs.map((output) => mean + std * output);
