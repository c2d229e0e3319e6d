/**
 * @file The importance correction between the sampler and the trainer. They may compute in other arithmetic, and
 * the sampler with older weights, so that tokens come from μ, the sampler's policy, and not from the old policy π_old of the loss. With
 * ρ = π_old / μ of a token, the expectation over μ of ρ · loss is that over π_old; bounds on ρ trade bias for variance.
 * The ratio of the loss stays π / π_old (decoupled: Hilton et al. 2022, arXiv:2110.00641, eq. 3).
 * Sources: truncation, Ionides 2008, _Truncated Importance Sampling_, JCGS 17(2), sec. 2; between sampler and trainer
 * (TIS), Yao et al. 2025, _Your Efficient RL Framework Secretly Brings You Off-Policy RL Training_; masks (MIS) and
 * products over sequences, Liu et al. 2025, _When Speed Kills Stability_; the mask on both sides, Ling Team 2025,
 * arXiv:2510.18855 (IcePop).
 * Differences: the weight multiplies the whole loss of a token, entropy bonus and KL penalty included; masked tokens stay
 * in the divisors of the loss aggregation; the log ratio is clipped to ±20.
 */
import type { SamplerCorrection } from '@espalier/contracts/sampler-correction';
import { LOG_RATIO_LIMIT } from './terms/ratio.js';

/** Loss tokens of one trajectory under the same weights. */
export interface SampledLogprobs {
  /** as the trainer computes them, nats */
  readonly logprobs: ArrayLike<number>; // [n]
  /** as the sampler did, nats */
  readonly sampled: ArrayLike<number>; // [n]
}

/** What the correction makes of the loss tokens of one trajectory. */
export interface CorrectedTokens {
  /** exp(trainer − sampler), the exponent clipped to ±20 */
  readonly ratios: Float64Array; // [n]
  /** of each token in the loss; 0: it is masked */
  readonly weights: Float32Array; // [n]
  /** 1 where a bound made the weight another than the ratio, else 0 */
  readonly bounded: Uint8Array; // [n]
}

/** Computes the weight of each loss token of a trajectory. */
export function correctSampling(
  { logprobs, sampled }: SampledLogprobs,
  { use, maxRatio, minRatio }: SamplerCorrection,
): CorrectedTokens {
  const differences = Float64Array.from(logprobs, (value, t) => value - (sampled[t] as number));
  const ratios = differences.map(boundedExp);
  const isOfSequence = use === 'sequence-truncated' || use === 'sequence-mask';
  const sequenceRatio = boundedExp(differences.reduce((sum, value) => sum + value, 0));
  const judged = isOfSequence ? ratios.map(() => sequenceRatio) : ratios;
  const beyond = use === 'truncated' || use === 'sequence-truncated' ? maxRatio : 0;
  const bounded = Uint8Array.from(judged, (ratio) => Number(!(ratio >= minRatio && ratio <= maxRatio)));
  const weights = Float32Array.from(judged, (ratio, t) => (bounded[t] === 1 ? beyond : ratio));
  return { ratios, weights, bounded };
}

const boundedExp = (difference: number): number =>
  Math.exp(Math.min(LOG_RATIO_LIMIT, Math.max(-LOG_RATIO_LIMIT, difference)));
