/**
 * @file Credit per turn: what each turn of a trajectory earned, discounted sums of it, and how it reaches tokens.
 * A turn without a reward is a turn, and so is one without loss tokens: it only has nothing to learn from.
 */
import { AppError } from '@espalier/contracts';
import { assertSameLength } from './statistics.js';

/** The turns of one trajectory; arrays cover every position. */
export interface TurnInput {
  readonly rewards: ArrayLike<number>; // [T]
  /** 1 where the token enters the loss */
  readonly lossMask: ArrayLike<number>; // [T]
  /** last position of each turn, ascending; positions after the last one belong to the last turn */
  readonly turnEnds: readonly number[];
}

/** Adds up the rewards of each turn. @returns [K]; empty without turns */
export function sumTurnRewards({ rewards, turnEnds }: TurnInput): Float64Array {
  const sums = new Float64Array(turnEnds.length);
  for (let t = 0, turn = 0; t < rewards.length && turnEnds.length > 0; t += 1) {
    while (turn < turnEnds.length - 1 && t > (turnEnds[turn] as number)) turn += 1;
    sums[turn] = (sums[turn] as number) + (rewards[t] as number);
  }
  return sums;
}

/**
 * Estimates what each turn and those after it earn: R_k = Σ_{j≥k} γ^{j−k} r_j.
 *
 * @param rewards of each turn
 * @param gamma   discount from one turn to the next, in [0, 1]
 * @returns [K]
 * @see Feng et al. 2025, arXiv:2505.10978, eq. 5 (GiGPO), the discounted return of a step
 */
export function estimateTurnReturns(rewards: ArrayLike<number>, gamma: number): Float64Array {
  const returns = Float64Array.from(rewards);
  for (let k = returns.length - 2; k >= 0; k -= 1)
    returns[k] = (returns[k] as number) + gamma * (returns[k + 1] as number);
  return returns;
}

/**
 * Divides the reward of each turn among it and the turns before it, with weights γ^d of the turn d before that sum to 1:
 * C_k = Σ_{j≥k} r_j γ^{j−k} / Σ_{d≤j} γ^d. Where r is the change of a state's score, this is the credit of the turns for
 * the last score: Σ C = Σ r.
 *
 * @param rewards of each turn
 * @param gamma   in [0, 1]; 0 leaves each turn its own, 1 divides evenly
 * @returns [K]
 * @see prime-rl, `turn_credit` (pull request 3282)
 */
export function spreadTurnRewards(rewards: ArrayLike<number>, gamma: number): Float64Array {
  const credit = new Float64Array(rewards.length);
  for (let j = 0, sum = 0; j < rewards.length; j += 1) {
    sum = 1 + gamma * sum; // Σ_{d≤j} γ^d
    for (let k = j, share = (rewards[j] as number) / sum; k >= 0; k -= 1, share *= gamma)
      credit[k] = (credit[k] as number) + share;
  }
  return credit;
}

/**
 * Gives every loss token the number of its turn.
 *
 * @param perTurn one per turn
 * @returns [T], 0 outside the loss mask
 * @throws objective.length_mismatch; contracts.invalid_value where loss tokens have no turn
 */
export function broadcastToTurnTokens(
  perTurn: ArrayLike<number>,
  { turnEnds, lossMask }: Omit<TurnInput, 'rewards'>,
): Float64Array {
  assertSameLength('turn credit', { perTurn, turnEnds });
  const values = new Float64Array(lossMask.length);
  for (let t = 0, turn = 0; t < lossMask.length; t += 1) {
    while (turn < turnEnds.length - 1 && t > (turnEnds[turn] as number)) turn += 1;
    if (!lossMask[t]) continue;
    if (turnEnds.length === 0) {
      throw new AppError(
        'contracts.invalid_value',
        `turn credit: loss token ${t} belongs to no turn; give the last position of each turn`,
      );
    }
    values[t] = perTurn[turn] as number;
  }
  return values;
}
