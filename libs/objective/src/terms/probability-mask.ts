/**
 * @file REINFORCE with importance weights in which a token learns only while its probability stays near the sampler's,
 * on either side and whatever its advantage; every token is pulled back by the square of its log ratio.
 *
 *   loss = −[|π − μ| ≤ ε] · (π / μ) · A + τ · log²(π / μ)
 *
 * Source: the loss of prime-rl, called IPO there; the mask by probabilities is that of DPPO (Qi et al. 2026, arXiv:2602.04879), one-sided
 * there. Difference: the log ratio is clipped to ±20.
 */
import { defineMetric } from '@espalier/contracts';
import { abs, add, exp, greater, mul, neg, scale, square, stopGradient, sub, where } from '@espalier/graph';
import type { LossOutput } from '../define-loss.js';
import { indicator } from './combine.js';
import { ratioOf, type SurrogateInput } from './ratio.js';

const MASKED_LOW = defineMetric({
  name: 'policy/masked_fraction_low',
  unit: 'probability',
  formula:
    'mean of [probability < old probability - maxShift: the token does not learn], weighted as the loss',
});
const MASKED_HIGH = defineMetric({
  name: 'policy/masked_fraction_high',
  unit: 'probability',
  formula:
    'mean of [probability > old probability + maxShift: the token does not learn], weighted as the loss',
});

export interface ProbabilityMaskInput extends SurrogateInput {
  /** ε: how far a probability may move before its token stops learning, in (0, 1] */
  readonly maxShift: number;
  /** τ: weight of the squared log ratio */
  readonly pull: number;
}

/** Builds the loss of each token, with its metrics; all [N]. */
export function probabilityMask(input: ProbabilityMaskInput): LossOutput {
  const { logprobs, oldLogprobs, advantages, maxShift, pull } = input;
  const { difference, ratio, metrics: ofRatio } = ratioOf(input); // [N]
  const shift = stopGradient(sub(exp(logprobs), exp(oldLogprobs))); // [N]
  const surrogate = neg(mul(ratio, advantages)); // [N]
  const learns = where(greater(abs(shift), maxShift), scale(surrogate, 0), surrogate); // [N]
  return {
    perToken: add(learns, scale(square(difference), pull)),
    metrics: {
      [MASKED_LOW.name]: indicator(greater(neg(shift), maxShift), ratio),
      [MASKED_HIGH.name]: indicator(greater(shift, maxShift), ratio),
      ...ofRatio,
    },
  };
}
