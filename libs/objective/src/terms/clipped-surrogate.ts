/**
 * @file The clipped surrogate objective, per token.
 * Sources: Schulman et al. 2017, arXiv:1707.06347, eq. 7; different bounds below and above: Yu et al. 2025,
 * arXiv:2503.14476 (DAPO, clip-higher); bound for negative advantages: Ye et al. 2020, arXiv:1912.09729 (dual clip).
 */
import { defineMetric } from '@espalier/contracts';
import {
  clip,
  greater,
  less,
  logicalAnd,
  maximum,
  minimum,
  mul,
  neg,
  type Tensor,
  where,
} from '@espalier/graph';
import type { LossOutput } from '../define-loss.js';
import { indicator } from './combine.js';
import { ratioOf, type SurrogateInput } from './ratio.js';

const CLIP_FRACTION_LOW = defineMetric({
  name: 'policy/clip_fraction_low',
  unit: 'probability',
  formula: 'mean of [advantage < 0 and ratio < 1 - clipLow], weighted as the loss',
});
const CLIP_FRACTION_HIGH = defineMetric({
  name: 'policy/clip_fraction_high',
  unit: 'probability',
  formula: 'mean of [advantage > 0 and ratio > 1 + clipHigh], weighted as the loss',
});
const CLIP_FRACTION_DUAL = defineMetric({
  name: 'policy/clip_fraction_dual',
  unit: 'probability',
  formula: 'mean of [advantage < 0 and ratio > dualClip], weighted as the loss',
});

export interface ClippedSurrogateInput extends SurrogateInput {
  /** how far the ratio may fall below 1 before the gradient stops */
  readonly clipLow: number;
  /** how far the ratio may rise above 1 before the gradient stops */
  readonly clipHigh: number;
  /** more than 1: bounds the loss of negative advantages at this times |advantage|; 0 = off */
  readonly dualClip: number;
}

/** Builds the loss -min(r A, clip(r, 1 - clipLow, 1 + clipHigh) A) of each token, with its metrics; all [N]. */
export function clippedSurrogate(input: ClippedSurrogateInput): LossOutput {
  const { advantages, clipLow, clipHigh, dualClip } = input;
  const { ratio, metrics: ofRatio } = ratioOf(input); // [N]
  const bounded = clip(ratio, 1 - clipLow, 1 + clipHigh); // [N]
  const surrogate = minimum(mul(ratio, advantages), mul(bounded, advantages)); // [N]
  const isNegative = less(advantages, 0); // [N]
  const floored =
    dualClip > 0 ? where(isNegative, maximum(surrogate, mul(advantages, dualClip)), surrogate) : surrogate;
  const metrics: Record<string, Tensor> = {
    [CLIP_FRACTION_LOW.name]: indicator(logicalAnd(isNegative, less(ratio, 1 - clipLow)), ratio),
    [CLIP_FRACTION_HIGH.name]: indicator(
      logicalAnd(greater(advantages, 0), greater(ratio, 1 + clipHigh)),
      ratio,
    ),
    ...ofRatio,
  };
  if (dualClip > 0) {
    metrics[CLIP_FRACTION_DUAL.name] = indicator(logicalAnd(isNegative, greater(ratio, dualClip)), ratio);
  }
  return { perToken: neg(floored), metrics };
}
