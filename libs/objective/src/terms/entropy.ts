/**
 * @file The entropy bonus. Source: Williams & Peng 1991; as in Schulman et al. 2017, arXiv:1707.06347, eq. 9.
 * The entropy is of the whole distribution at each loss position, not of the sampled token.
 */
import { defineMetric } from '@espalier/contracts';
import { mul, neg, scale, stopGradient, type Tensor } from '@espalier/graph';
import type { LossOutput } from '../define-loss.js';

const ENTROPY = defineMetric({
  name: 'policy/entropy',
  unit: 'nats',
  formula: 'mean of -sum p log p over the vocabulary at loss positions, weighted as the loss',
});

/**
 * Builds -coefficient times the entropy as a loss, and reports the entropy; all [N]. With 0 it only reports.
 *
 * @param coefficient a tensor [N] where it changes between updates
 */
export function entropyBonus(entropies: Tensor, coefficient: number | Tensor): LossOutput {
  if (typeof coefficient !== 'number')
    return { perToken: neg(mul(entropies, coefficient)), metrics: { [ENTROPY.name]: entropies } };
  const source = coefficient === 0 ? stopGradient(entropies) : entropies; // skips the backward pass over the vocabulary
  return { perToken: scale(source, -coefficient), metrics: { [ENTROPY.name]: entropies } };
}
