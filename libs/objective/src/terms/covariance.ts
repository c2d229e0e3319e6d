/**
 * @file Surrogates that hold back the tokens of largest covariance, which columns of covariance.ts name.
 * Source: Cui et al. 2025, arXiv:2505.22617, eq. 12 and 14: Clip-Cov takes their gradient off, KL-Cov pulls them back to where they were.
 */
import { defineMetric } from '@espalier/contracts';
import { abs, add, greater, mul, neg, scale, type Tensor, where } from '@espalier/graph';
import type { LossOutput } from '../define-loss.js';
import { clippedSurrogate, type ClippedSurrogateInput } from './clipped-surrogate.js';
import { ratioOf, type SurrogateInput } from './ratio.js';

const HELD = defineMetric({
  name: 'policy/held_fraction',
  unit: 'probability',
  formula: 'mean of [the token is held back for its covariance], weighted as the loss',
});

interface Held {
  /** 1 for tokens that are held back, else 0 */
  readonly held: Tensor; // [N]
}

/** Builds the clipped surrogate, 0 for tokens that are held back; all [N]. */
export function clippedCovariance({ held, ...input }: ClippedSurrogateInput & Held): LossOutput {
  const { perToken, metrics } = clippedSurrogate(input);
  const kept = where(greater(held, 0.5), scale(perToken, 0), perToken);
  return { perToken: kept, metrics: { ...metrics, [HELD.name]: held } };
}

export interface PenalizedCovarianceInput extends SurrogateInput, Held {
  /** of |logprob − oldLogprob| at tokens that are held back */
  readonly coefficient: number;
}

/** Builds −r A, and for tokens that are held back −r A + coefficient · |logprob − oldLogprob|; all [N]. */
export function penalizedCovariance(input: PenalizedCovarianceInput): LossOutput {
  const { advantages, held, coefficient } = input;
  const { difference, ratio, metrics: ofRatio } = ratioOf(input); // [N]
  const penalty = mul(scale(abs(difference), coefficient), held); // [N]
  return {
    perToken: add(neg(mul(ratio, advantages)), penalty),
    metrics: { ...ofRatio, [HELD.name]: held },
  };
}
