/**
 * @file Which tokens would lower the entropy most: those whose log-probability and advantage are both far above, or both
 * far below, the mean of the mini-batch. Source: Cui et al. 2025, arXiv:2505.22617, eq. 10 to 13 (Clip-Cov, KL-Cov).
 */
import { AppError } from '@espalier/contracts';

/** The loss tokens of one sequence. */
export interface CovariedSequence {
  readonly logprobs: ArrayLike<number>; // [n]
  readonly advantages: ArrayLike<number>; // [n]
}

/** Computes (logprob − mean) (advantage − mean) of each token, with means over all tokens of the mini-batch. */
export function estimateCovariances(sequences: readonly CovariedSequence[]): Float64Array[] {
  const logprob = meanOf(sequences.map((one) => one.logprobs));
  const advantage = meanOf(sequences.map((one) => one.advantages));
  return sequences.map(({ logprobs, advantages }) =>
    Float64Array.from(logprobs, (value, t) => (value - logprob) * ((advantages[t] as number) - advantage)),
  );
}

/** How tokens are chosen by their covariance. */
export type CovarianceChoice =
  /** the share of all tokens with the largest ones (KL-Cov) */
  | { readonly share: number }
  /** that many of those strictly between two bounds, drawn at random (Clip-Cov) */
  | {
      readonly share: number;
      readonly low: number;
      readonly high: number;
      /** an integer from 0 to below `count` */
      readonly draw: (count: number) => number;
    };

/**
 * Chooses ⌊share · tokens⌋ tokens, at least one where any is eligible; equal ones by their place.
 *
 * @param excluded tokens that cannot be chosen; each [n]
 * @returns 1 for chosen tokens, else 0; each [n]
 */
export function chooseByCovariance(
  covariances: readonly Float64Array[],
  choice: CovarianceChoice,
  excluded: readonly ArrayLike<number>[] = [],
): Float32Array[] {
  if (!(choice.share > 0 && choice.share <= 1))
    throw new AppError(
      'contracts.invalid_value',
      `choose tokens: share is ${choice.share}; expected a number in (0, 1]`,
    );
  const chosen = covariances.map((own) => new Float32Array(own.length));
  const tokens = covariances.flatMap((own, sequence) =>
    Array.from(own, (value, t) => ({ sequence, t, value })),
  );
  const eligible = tokens.filter(
    ({ sequence, t, value }) =>
      !excluded[sequence]?.[t] && (!('low' in choice) || (value > choice.low && value < choice.high)),
  );
  const count = Math.min(eligible.length, Math.max(1, Math.floor(choice.share * tokens.length + 1e-9)));
  if ('draw' in choice) {
    // the first `count` steps of a Fisher-Yates shuffle
    for (let i = 0; i < count; i++) {
      const j = i + choice.draw(eligible.length - i);
      [eligible[i], eligible[j]] = [eligible[j]!, eligible[i]!];
    }
  } else eligible.sort((a, b) => b.value - a.value);
  for (const { sequence, t } of eligible.slice(0, count)) chosen[sequence]![t] = 1;
  return chosen;
}

function meanOf(arrays: readonly ArrayLike<number>[]): number {
  let [sum, count] = [0, 0];
  for (const own of arrays) for (let t = 0; t < own.length; t++, count++) sum += own[t] as number;
  return count === 0 ? 0 : sum / count;
}
