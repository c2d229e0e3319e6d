/**
 * @file The surrogate −r A in which only some tokens learn: of the others the ratio counts, but has no gradient.
 * Source: Zhao et al. 2025, arXiv:2507.20673 (GMPO), over the columns of geometric-ratio.ts.
 * Difference: the log ratio is clipped to ±20.
 */
import { defineMetric } from '@espalier/contracts';
import { clip, exp, greater, mul, neg, stopGradient, sub, type Tensor, where } from '@espalier/graph';
import type { LossOutput } from '../define-loss.js';
import { ratioMetrics } from './clipped-surrogate.js';
import { indicator } from './combine.js';

const LOG_RATIO_LIMIT = 20;

const STOPPED = defineMetric({
  name: 'policy/stopped_fraction',
  unit: 'probability',
  formula: 'mean of [the token is beyond its bound and does not learn], weighted as the loss',
});

export interface MaskedRatioInput {
  /** under the weights being trained, nats */
  readonly logprobs: Tensor; // [N]
  /** what the ratio is taken to, nats */
  readonly oldLogprobs: Tensor; // [N]
  readonly advantages: Tensor; // [N]
  /** 1 for tokens that learn, else 0 */
  readonly learns: Tensor; // [N]
}

/** Builds the loss −r A of each token, with its metrics; all [N]. */
export function maskedRatio({ logprobs, oldLogprobs, advantages, learns }: MaskedRatioInput): LossOutput {
  const difference = sub(logprobs, oldLogprobs); // [N]
  const ratio = exp(clip(difference, -LOG_RATIO_LIMIT, LOG_RATIO_LIMIT)); // [N]
  const isLearning = greater(learns, 0.5); // [N]
  const held = where(isLearning, ratio, stopGradient(ratio)); // [N]
  return {
    perToken: neg(mul(held, advantages)),
    metrics: {
      [STOPPED.name]: indicator(greater(0.5, learns), ratio),
      ...ratioMetrics(difference, ratio),
    },
  };
}
