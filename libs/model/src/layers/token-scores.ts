/**
 * @file Log-probability and entropy of tokens from hidden states, and their gradient, for one chunk of rows. Logits are
 * the largest tensors of a language model: a chunk's logits live from its forward to its own backward pass only.
 */
import {
  add,
  expandDims,
  exp,
  gatherElements,
  matmul,
  mul,
  neg,
  logSoftmax,
  reshape,
  scatterAdd,
  squeeze,
  sum,
  type Tensor,
} from '@espalier/graph';

export interface TokenScoresGraph {
  readonly logprobs: Tensor; // [N]
  readonly entropies: Tensor; // [N]
  readonly logDistribution: Tensor; // [N, V]
  readonly distribution: Tensor; // [N, V]
}

/**
 * Scores one token per row.
 *
 * @param scaled  [N, D] normalised hidden states divided by the temperature
 * @param head    [V, D]
 * @param targets [N] int64
 */
export function buildTokenScores(scaled: Tensor, head: Tensor, targets: Tensor): TokenScoresGraph {
  const logDistribution = logSoftmax(matmul(scaled, head, { transposeB: true }), -1); // [N, V]
  const distribution = exp(logDistribution);
  const logprobs = squeeze(gatherElements(logDistribution, expandDims(targets, 1), 1), 1);
  const entropies = neg(sum(mul(distribution, logDistribution), { axes: [-1] }));
  return { logprobs, entropies, logDistribution, distribution };
}

/**
 * Builds the gradient of the logits from the gradients of log-probabilities and, if the loss uses them, entropies.
 *
 * @returns [N, V]
 */
export function buildLogitGradient(
  { logDistribution, distribution, entropies }: TokenScoresGraph,
  targets: Tensor,
  logprobGradient: Tensor,
  entropyGradient: Tensor | undefined,
): Tensor {
  const g = expandDims(logprobGradient, 1); // [N, 1]
  let slope = neg(g);
  if (entropyGradient !== undefined) {
    const surprise = add(logDistribution, expandDims(entropies, 1)); // [N, V]
    slope = add(slope, mul(surprise, neg(expandDims(entropyGradient, 1)))); // [N, V]
  }
  return scatterAdd(mul(distribution, slope), reshape(targets, [...targets.shape, 1]), g, 1);
}
