/**
 * @file The clipped value loss. Source: Schulman et al. 2016, arXiv:1506.02438, sec. 5, with the clipping of the reference
 * implementation of PPO: the larger of the plain error and the error of a value clipped around the old one.
 */
import { defineMetric } from '@espalier/contracts';
import { add, clip, greater, maximum, scale, square, sub, type Tensor } from '@espalier/graph';
import type { LossOutput } from '../define-loss.js';
import { indicator } from './combine.js';

const CRITIC_LOSS = defineMetric({
  name: 'critic/loss',
  unit: 'reward²',
  formula:
    'mean of ½ max((v - R)², (vOld + clip(v - vOld, ±valueClip) - R)²), weighted as the loss; with update.valueNormalization in deviations of the returns',
});
const CRITIC_CLIP_FRACTION = defineMetric({
  name: 'critic/clip_fraction',
  unit: 'probability',
  formula: 'mean of [the clipped error is larger than the plain one], weighted as the loss',
});
const CRITIC_VALUE = defineMetric({
  name: 'critic/value',
  unit: 'reward',
  formula:
    'mean of the critic values, weighted as the loss; with update.valueNormalization normalised, as the critic predicts them',
});

export interface ClippedValueInput {
  readonly values: Tensor; // [N]
  /** before this rollout's updates */
  readonly oldValues: Tensor; // [N]
  readonly returns: Tensor; // [N]
  /** how far a value may move from the old one before its gradient vanishes, in reward units; 0 = off */
  readonly valueClip: number;
}

/** Builds half the squared error of each value, clipped around the old value, with its metrics; all [N]. */
export function clippedValueLoss({ values, oldValues, returns, valueClip }: ClippedValueInput): LossOutput {
  const plain = square(sub(values, returns)); // [N]
  if (valueClip === 0) {
    const loss = scale(plain, 0.5);
    return { perToken: loss, metrics: { [CRITIC_LOSS.name]: loss, [CRITIC_VALUE.name]: values } };
  }
  const near = add(oldValues, clip(sub(values, oldValues), -valueClip, valueClip)); // [N]
  const clipped = square(sub(near, returns)); // [N]
  const loss = scale(maximum(plain, clipped), 0.5);
  const metrics = {
    [CRITIC_LOSS.name]: loss,
    [CRITIC_VALUE.name]: values,
    [CRITIC_CLIP_FRACTION.name]: indicator(greater(clipped, plain), values),
  };
  return { perToken: loss, metrics };
}
