/**
 * @file The geometric mean of a sequence's bounded ratios, as columns of a token loss, like sequence-ratio.ts.
 * Source: Zhao et al. 2025, arXiv:2507.20673, eq. 4 and 5 (GMPO): (Π_t |min(r_t A, clip(r_t, e^−a, e^b) A)|)^(1/n) sign(A).
 */

/** Loss tokens of one sequence before an optimizer step. */
export interface GeometricInput {
  /** under the weights that the step starts from, nats */
  readonly logprobs: ArrayLike<number>; // [n]
  /** at sampling, nats */
  readonly oldLogprobs: ArrayLike<number>; // [n]
  readonly advantages: ArrayLike<number>; // [n]
  /** 1 for tokens that take part, 0 for those that neither move the mean nor learn; default: all take part */
  readonly counted?: ArrayLike<number> | undefined; // [n]
  /** how far the log ratio of a bad token may fall below 0 */
  readonly clipLow: number;
  /** how far the log ratio of a good token may rise above 0 */
  readonly clipHigh: number;
}

export interface GeometricColumns {
  /** logprob − log s, so that each token has the ratio s of its sequence */
  readonly oldLogprobs: Float64Array; // [n]
  /** the mean over the tokens that take part, by which all of them are judged; 0 for others */
  readonly advantages: Float64Array; // [n]
  /** 1 where the token's own ratio is within its bound, else 0 */
  readonly learns: Float32Array; // [n]
}

/**
 * Gives each token the geometric mean s of the bounded ratios of its sequence. A good token is bounded above, a bad one
 * below, as under PPO's minimum; one beyond its bound has no gradient of its own.
 */
export function estimateGeometricColumns(input: GeometricInput): GeometricColumns {
  const { logprobs, oldLogprobs, advantages, counted, clipLow, clipHigh } = input;
  const takesPart = Array.from(logprobs, (_, t) => counted?.[t] !== 0);
  const count = Math.max(1, takesPart.filter(Boolean).length);
  const meanOf = (values: readonly number[]): number =>
    values.reduce((sum, value, t) => (takesPart[t] === true ? sum + value : sum), 0) / count;
  const advantage = meanOf(Array.from(advantages));
  const differences = Array.from(logprobs, (value, t) => value - (oldLogprobs[t] as number));
  const bounded = differences.map((difference) =>
    advantage > 0
      ? Math.min(difference, clipHigh)
      : advantage < 0
        ? Math.max(difference, -clipLow)
        : difference,
  );
  const logRatio = meanOf(bounded);
  return {
    oldLogprobs: Float64Array.from(logprobs, (value) => value - logRatio),
    advantages: Float64Array.from(takesPart, (isPart) => (isPart ? advantage : 0)),
    learns: Float32Array.from(differences, (difference, t) => Number(difference === bounded[t])),
  };
}
