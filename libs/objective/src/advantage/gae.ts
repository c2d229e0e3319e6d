/**
 * @file Generalised advantage estimation over loss tokens, one trajectory at a time.
 * The value and the accumulator skip the observation and template tokens between turns, so the estimate equals that of
 * the sequence without those tokens. Whitening is in whiten.ts.
 * Source: Schulman et al. 2016, arXiv:1506.02438, eq. 16; carrying over gaps as in verl since July 2025.
 */
import { assertSameLength } from './statistics.js';

/** One trajectory, as input of token credit estimators; arrays cover every position. */
export interface TokenCreditInput {
  /** reward after each token, in the units of the score; read at loss positions only (see placement.ts) */
  readonly rewards: ArrayLike<number>; // [T]
  /** value before each token; read at loss positions only */
  readonly values: ArrayLike<number>; // [T]
  /** 1 where the token enters the loss */
  readonly lossMask: ArrayLike<number>; // [T]
  /** discount per loss token, in [0, 1] */
  readonly gamma: number;
  /** in [0, 1]; 1 = Monte Carlo, 0 = one step */
  readonly lambda: number;
  /** value after the last position; 0 if the episode ended */
  readonly bootstrap?: number;
}

export interface TokenCredit {
  /** in reward units, not whitened; 0 outside the loss mask */
  readonly advantages: Float64Array; // [T]
  /** advantage plus value, the target of the critic; 0 outside the loss mask */
  readonly returns: Float64Array; // [T]
}

/**
 * Estimates token advantages by exponentially weighted temporal differences, right to left.
 *
 * @throws objective.length_mismatch when the arrays differ in length
 * @see Schulman et al. 2016, arXiv:1506.02438, eq. 16
 */
export function estimateTokenGae(input: TokenCreditInput): TokenCredit {
  const { rewards, values, lossMask, gamma, lambda } = input;
  assertSameLength('token gae', { rewards, values, lossMask });
  const advantages = new Float64Array(rewards.length);
  const returns = new Float64Array(rewards.length);
  let nextValue = input.bootstrap ?? 0;
  let accumulated = 0;
  for (let t = rewards.length - 1; t >= 0; t -= 1) {
    if (!lossMask[t]) continue; // a gap: keep the next value and the accumulator
    const value = values[t] as number;
    const delta = (rewards[t] as number) + gamma * nextValue - value;
    accumulated = delta + gamma * lambda * accumulated;
    advantages[t] = accumulated;
    returns[t] = accumulated + value;
    nextValue = value;
  }
  return { advantages, returns };
}
