/**
 * @file Estimates of the KL divergence from a reference policy at sampled tokens, and the penalty built from them.
 * Source: Schulman 2020, "Approximating KL divergence" (k1, k2, k3); Tang & Munos 2025, arXiv:2506.09477, on
 * gradients: the gradient of k1 is zero on average, that of k3 is not that of the reverse KL divergence, that of k2 is.
 * `k3-straight-through` therefore has the value of k3 and the gradient of k2.
 */
import { defineMetric } from '@espalier/contracts';
import {
  abs,
  add,
  addScalar,
  clip,
  exp,
  mul,
  neg,
  scale,
  square,
  stopGradient,
  sub,
  type Tensor,
} from '@espalier/graph';
import type { LossOutput } from '../define-loss.js';

const EXPONENT_LIMIT = 20;
const VALUE_LIMIT = 10;

const KL_REFERENCE = defineMetric({
  name: 'policy/kl_reference',
  unit: 'nats',
  formula: 'mean of the chosen estimate of KL(policy || reference) at sampled tokens, weighted as the loss',
});

/** All estimators, by name. */
export const klEstimators = ['k1', 'abs', 'k2', 'k3', 'k3-straight-through'] as const;
export type KlEstimator = (typeof klEstimators)[number];

/**
 * Builds an estimate of KL(policy || reference) at each sampled token, with x = logprob - referenceLogprob:
 * k1 = x; abs = |x|; k2 = x²/2; k3 = exp(-x) + x - 1, with -x clipped to ±20 and the result to ±10.
 *
 * @returns [N] nats
 */
function estimateKl(logprobs: Tensor, referenceLogprobs: Tensor, estimator: KlEstimator): Tensor {
  const x = sub(logprobs, referenceLogprobs); // [N]
  switch (estimator) {
    case 'k1':
      return x;
    case 'abs':
      return abs(x);
    case 'k2':
      return scale(square(x), 0.5);
    case 'k3':
      return estimateK3(x);
    case 'k3-straight-through': {
      const k2 = scale(square(x), 0.5);
      return add(k2, stopGradient(sub(estimateK3(x), k2)));
    }
  }
}

/** Builds `coefficient` times the estimate as a loss, and reports the estimate. */
export function klPenalty(
  logprobs: Tensor,
  referenceLogprobs: Tensor,
  options: {
    /** a tensor [N] where it changes between updates */
    readonly coefficient: number | Tensor;
    readonly estimator: KlEstimator;
  },
): LossOutput {
  const kl = estimateKl(logprobs, referenceLogprobs, options.estimator); // [N]
  const { coefficient } = options;
  const perToken = typeof coefficient === 'number' ? scale(kl, coefficient) : mul(kl, coefficient);
  return { perToken, metrics: { [KL_REFERENCE.name]: kl } };
}

function estimateK3(x: Tensor): Tensor {
  const negated = clip(neg(x), -EXPONENT_LIMIT, EXPONENT_LIMIT);
  return clip(addScalar(sub(exp(negated), negated), -1), -VALUE_LIMIT, VALUE_LIMIT);
}
