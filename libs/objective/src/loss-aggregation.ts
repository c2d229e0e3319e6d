/**
 * @file Loss aggregation: how per-token losses become one number. Computed once for the whole mini-batch and passed to
 * the engine as one weight per token, so that micro-batches add up. Sources: token-mean, DAPO (arXiv:2503.14476);
 * sequence-mean-token-mean, GRPO (arXiv:2402.03300, eq. 3); sequence-mean-token-sum, and
 * sequence-mean-constant with the longest allowed response as the constant, Dr. GRPO (arXiv:2503.20783).
 */
import { AppError, type RunSpec } from '@espalier/contracts';

export type LossAggregation = RunSpec['update']['lossAggregation'];

/**
 * Computes the weight of each loss token in the loss of a mini-batch.
 *
 * With M sequences that have loss tokens, n_i loss tokens each, and a constant C: 1/Σn, 1/(M n_i), 1/M, 1/(M C), or 1/C.
 * Sequences without loss tokens get an empty array and are not counted in M. The weights of the first two modes sum to 1.
 *
 * @param lossTokensPerSequence loss tokens of each sequence of the whole mini-batch
 * @param constant above 0; read by the last two modes
 * @returns each [n_i]
 */
export function estimateTokenWeights(
  lossTokensPerSequence: readonly number[],
  mode: LossAggregation,
  constant = 1,
): Float32Array[] {
  if (!(constant > 0))
    throw new AppError(
      'contracts.invalid_value',
      `weigh tokens: constant is ${constant}; expected more than 0`,
    );
  const tokens = lossTokensPerSequence.reduce((sum, count) => sum + count, 0);
  const sequences = lossTokensPerSequence.filter((count) => count > 0).length;
  return lossTokensPerSequence.map((count) => {
    const weights = {
      'token-mean': 1 / tokens,
      'sequence-mean-token-mean': 1 / (sequences * count),
      'sequence-mean-token-sum': 1 / sequences,
      'sequence-mean-constant': 1 / (sequences * constant),
      'sum-constant': 1 / constant,
    };
    return new Float32Array(count).fill(weights[mode]);
  });
}
