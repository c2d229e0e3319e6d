/** @file What a loss did at each token of a pass: its value, its gradient, its ratio, and where it clipped. */
import type { LossSpec } from '@espalier/contracts';
import type { ClipSide } from '@espalier/contracts/update-record';
import { evaluateLoss, type LossNumbers } from './evaluate-loss.js';

export interface TokenEffects {
  readonly losses: readonly number[]; // [N]
  /** ∂loss/∂(log-probability), before the weight of the token */
  readonly gradients: readonly number[]; // [N]
  /** absent: the loss has none */
  readonly ratios?: readonly number[]; // [N]
  /** per token; undefined: not clipped */
  readonly clipped: readonly (ClipSide | undefined)[]; // [N]
}

const ratioMetric = 'policy/ratio';
/** per-token indicators of the terms, by what they say; of several the first counts */
const clipMetrics: readonly (readonly [metric: string, side: ClipSide | 'by-advantage'])[] = [
  ['policy/clip_fraction_dual', 'dual'],
  ['policy/clip_fraction_low', 'low'],
  ['policy/clip_fraction_high', 'high'],
  ['policy/truncated_fraction_low', 'low'],
  ['policy/truncated_fraction_high', 'high'],
  ['policy/masked_fraction_low', 'low'],
  ['policy/masked_fraction_high', 'high'],
  // a good token is bounded above, a bad one below
  ['policy/stopped_fraction', 'by-advantage'],
  ['policy/held_fraction', 'held'],
];

/**
 * Evaluates a policy loss token by token; the metrics that it reports say ratio and clipping, whatever its algorithm.
 *
 * @returns undefined for a loss that only its engine can build
 */
export function estimateTokenEffects(loss: LossSpec, numbers: LossNumbers): TokenEffects | undefined {
  if (typeof loss.build !== 'function') return undefined;
  const { perToken, gradients, metrics } = evaluateLoss(loss, numbers);
  const reported = clipMetrics.flatMap(([name, side]) => {
    const indicators = metrics[name];
    return indicators === undefined ? [] : [{ indicators, side }];
  });
  const advantages = numbers.columns?.['advantages'];
  const clipped = perToken.map((_, index): ClipSide | undefined => {
    const side = reported.find(({ indicators }) => (indicators[index] ?? 0) > 0.5)?.side;
    return side === 'by-advantage' ? ((advantages?.[index] ?? 0) > 0 ? 'high' : 'low') : side;
  });
  const ratios = metrics[ratioMetric];
  return {
    losses: perToken,
    gradients: gradients['logprobs'] ?? [],
    clipped,
    ...(ratios === undefined ? {} : { ratios }),
  };
}
