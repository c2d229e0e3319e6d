/**
 * @file REINFORCE with truncated importance weights: a ratio beyond its bounds weighs less, but its token still learns.
 * Source: MiniMax 2025, arXiv:2506.13585, eq. 4 and 5 (CISPO).
 */
import { defineMetric } from '@espalier/contracts';
import { clip, greater, less, mul, neg, stopGradient } from '@espalier/graph';
import type { LossOutput } from '../define-loss.js';
import { indicator } from './combine.js';
import { ratioOf, type SurrogateInput } from './ratio.js';

const TRUNCATED_LOW = defineMetric({
  name: 'policy/truncated_fraction_low',
  unit: 'probability',
  formula: 'mean of [ratio < lower bound of the importance weight], weighted as the loss',
});
const TRUNCATED_HIGH = defineMetric({
  name: 'policy/truncated_fraction_high',
  unit: 'probability',
  formula: 'mean of [ratio > upper bound of the importance weight], weighted as the loss',
});

export interface TruncatedImportanceInput extends SurrogateInput {
  /** least weight is 1 − clipLow; 1 or more = no lower bound */
  readonly clipLow: number;
  /** greatest weight is 1 + clipHigh */
  readonly clipHigh: number;
}

/** Builds the loss −sg(clip(r, 1 − clipLow, 1 + clipHigh)) A logprob of each token, with its metrics; all [N]. */
export function truncatedImportance(input: TruncatedImportanceInput): LossOutput {
  const { logprobs, advantages, clipLow, clipHigh } = input;
  const { ratio, metrics: ofRatio } = ratioOf(input); // [N]
  const weight = stopGradient(clip(ratio, Math.max(0, 1 - clipLow), 1 + clipHigh)); // [N]
  return {
    perToken: neg(mul(mul(weight, advantages), logprobs)),
    metrics: {
      [TRUNCATED_LOW.name]: indicator(less(ratio, 1 - clipLow), ratio),
      [TRUNCATED_HIGH.name]: indicator(greater(ratio, 1 + clipHigh), ratio),
      ...ofRatio,
    },
  };
}
