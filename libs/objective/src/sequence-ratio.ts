/**
 * @file Ratios of whole sequences as columns of token losses. A column is computed from the log-probabilities before an
 * optimizer step, so a loss needs neither sums over sequences nor whole sequences in one micro-batch. A token loss over
 * these columns has the value and the gradient of the loss over sequences at the weights where the step is taken.
 */

/** Loss tokens of one sequence before an optimizer step. */
export interface SequenceLogprobs {
  /** under the weights that the step starts from, nats */
  readonly logprobs: ArrayLike<number>; // [n]
  /** at sampling, nats */
  readonly oldLogprobs: ArrayLike<number>; // [n]
}

/**
 * Moves the log-probabilities at sampling so that each token has the ratio of its sequence,
 * s = exp(Σ (logprob − oldLogprob) / n), in place of its own: logprob − log s.
 *
 * A clipped surrogate over them is that of GSPO, with the gradient of s through every token.
 *
 * @returns [n]
 * @see Zheng et al. 2025, arXiv:2507.18071, eq. 7 (the ratio) and the token form of the objective
 */
export function estimateSequenceLogprobs({ logprobs, oldLogprobs }: SequenceLogprobs): Float64Array {
  const logRatio = meanOf(Float64Array.from(logprobs, (value, t) => value - (oldLogprobs[t] as number)));
  return Float64Array.from(logprobs, (value) => value - logRatio);
}

/** @returns 0 for no values */
function meanOf(values: Float64Array): number {
  return values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);
}
