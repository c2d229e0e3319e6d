/**
 * @file The surrogate −r A in which only some tokens learn: of the others the ratio counts, but has no gradient.
 * Source: Zhao et al. 2025, arXiv:2507.20673 (GMPO), over the columns of geometric-ratio.ts.
 */
import { defineMetric } from '@espalier/contracts';
import { greater, mul, neg, stopGradient, type Tensor, where } from '@espalier/graph';
import type { LossOutput } from '../define-loss.js';
import { indicator } from './combine.js';
import { ratioOf, type SurrogateInput } from './ratio.js';

const STOPPED = defineMetric({
  name: 'policy/stopped_fraction',
  unit: 'probability',
  formula: 'mean of [the token is beyond its bound and does not learn], weighted as the loss',
});

export interface MaskedRatioInput extends SurrogateInput {
  /** 1 for tokens that learn, else 0 */
  readonly learns: Tensor; // [N]
}

/** Builds the loss −r A of each token, with its metrics; all [N]. */
export function maskedRatio(input: MaskedRatioInput): LossOutput {
  const { advantages, learns } = input;
  const { ratio, metrics: ofRatio } = ratioOf(input); // [N]
  const isLearning = greater(learns, 0.5); // [N]
  const held = where(isLearning, ratio, stopGradient(ratio)); // [N]
  return {
    perToken: neg(mul(held, advantages)),
    metrics: {
      [STOPPED.name]: indicator(greater(0.5, learns), ratio),
      ...ofRatio,
    },
  };
}
