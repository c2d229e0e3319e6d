/**
 * @file A surrogate whose gradient fades as the ratio leaves 1, instead of stopping at a bound.
 * Source: Gao et al. 2025, arXiv:2511.20347, eq. 5 and 6 (SAPO): gate σ(τ (r − 1)) · 4 / τ, with a larger τ for bad tokens.
 */
import { greater, mul, neg, scale, sigmoid, sub, type Tensor, where } from '@espalier/graph';
import type { LossOutput } from '../define-loss.js';
import { ratioOf, type SurrogateInput } from './ratio.js';

export interface SoftGateInput extends SurrogateInput {
  /** how fast the gradient of good tokens fades, above 0 */
  readonly temperatureGood: number;
  /** how fast the gradient of the others fades, above 0 */
  readonly temperatureBad: number;
}

/** Builds the loss −σ(τ (r − 1)) (4 / τ) A of each token, with its metrics; all [N]. At r = 1 its gradient is −A. */
export function softGate(input: SoftGateInput): LossOutput {
  const { advantages, temperatureGood, temperatureBad } = input;
  const { ratio, metrics: ofRatio } = ratioOf(input); // [N]
  const gate = (temperature: number): Tensor =>
    scale(sigmoid(scale(sub(ratio, 1), temperature)), 4 / temperature);
  const gated = where(greater(advantages, 0), gate(temperatureGood), gate(temperatureBad)); // [N]
  return { perToken: neg(mul(gated, advantages)), metrics: ofRatio };
}
