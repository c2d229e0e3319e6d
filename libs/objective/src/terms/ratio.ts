/**
 * @file The ratio that every surrogate weighs advantages by, and what is reported of it.
 * Difference from the papers: the log ratio is clipped to ±20, beyond which the gradient is 0.
 */
import { defineMetric } from '@espalier/contracts';
import { clip, exp, neg, sub, type Tensor } from '@espalier/graph';

/** Bound of a log ratio, nats. */
export const LOG_RATIO_LIMIT = 20;

const APPROX_KL = defineMetric({
  name: 'policy/approx_kl',
  unit: 'nats',
  formula: 'mean of oldLogprob - logprob, weighted as the loss',
});
const RATIO = defineMetric({
  name: 'policy/ratio',
  unit: '1',
  formula: 'mean of exp(logprob - oldLogprob), weighted as the loss',
});

/** What a surrogate reads. */
export interface SurrogateInput {
  /** under the weights being trained, nats */
  readonly logprobs: Tensor; // [N]
  /** what the ratio is taken to, nats: at sampling, or as the algorithm computes it */
  readonly oldLogprobs: Tensor; // [N]
  readonly advantages: Tensor; // [N]
}

/** Builds logprob − oldLogprob, its exponential, and their metrics; all [N]. */
export function ratioOf({ logprobs, oldLogprobs }: SurrogateInput): {
  readonly difference: Tensor;
  readonly ratio: Tensor;
  readonly metrics: Readonly<Record<string, Tensor>>;
} {
  const difference = sub(logprobs, oldLogprobs);
  const ratio = exp(clip(difference, -LOG_RATIO_LIMIT, LOG_RATIO_LIMIT));
  return { difference, ratio, metrics: { [APPROX_KL.name]: neg(difference), [RATIO.name]: ratio } };
}
