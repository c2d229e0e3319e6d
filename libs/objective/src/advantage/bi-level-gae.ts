/**
 * @file Bi-level generalised advantage estimation: first over turns, then over the tokens of each turn.
 * Turn ends are given, not inferred from non-zero rewards: a turn without a reward is still a turn.
 * Source: VAGEN, Wang et al. 2025, arXiv:2510.16907, "Bi-Level GAE"; the same option exists in RAGEN.
 * Differences: explicit turn ends; returns are taken before whitening; token steps skip gaps as in gae.ts; a reward
 * inside a turn (evidence) is part of its turn's reward on the first level and stays at its token on the second.
 */
import { AppError } from '@espalier/contracts';
import { assertSameLength } from './statistics.js';
import type { TokenCredit, TokenCreditInput } from './gae.js';

export interface BiLevelCreditInput extends Omit<TokenCreditInput, 'bootstrap'> {
  /** positions of the last loss token of each turn, ascending */
  readonly turnEnds: readonly number[];
  /** discount from one turn to the next, in [0, 1] */
  readonly turnGamma: number;
}

/**
 * Estimates token advantages on two levels.
 *
 * Over turn ends e_k, with r_k the sum of the rewards of turn k: δ_k = r_k + γ_turn V(e_{k+1}) − V(e_k),
 * A_k = δ_k + γ_turn λ A_{k+1}. Then A_k + V(e_k), less the rewards of the turn before e_k, replaces the reward at e_k,
 * and the tokens of each turn get GAE with γ and λ that ends at e_k. The episode must have ended: nothing is
 * bootstrapped after the last turn. Loss tokens after the last turn end form one more turn.
 *
 * @throws objective.length_mismatch; contracts.invalid_value when a turn end is not a loss token or is out of order
 */
export function estimateBiLevelGae(input: BiLevelCreditInput): TokenCredit {
  const { rewards, values, lossMask, gamma, lambda } = input;
  assertSameLength('bi-level gae', { rewards, values, lossMask });
  const ends = completeTurnEnds(input.turnEnds, lossMask);
  const turnReturns = estimateTurnReturns(input, ends);
  const advantages = new Float64Array(rewards.length);
  const returns = new Float64Array(rewards.length);
  let nextValue = 0;
  let accumulated = 0;
  for (let t = rewards.length - 1; t >= 0; t -= 1) {
    if (!lossMask[t]) continue;
    const turnReturn = turnReturns.get(t);
    if (turnReturn !== undefined) {
      nextValue = 0; // later turns enter only through the turn return
      accumulated = 0;
    }
    const value = values[t] as number;
    const delta = (turnReturn ?? (rewards[t] as number)) + gamma * nextValue - value;
    accumulated = delta + gamma * lambda * accumulated;
    advantages[t] = accumulated;
    returns[t] = accumulated + value;
    nextValue = value;
  }
  return { advantages, returns };
}

function estimateTurnReturns(input: BiLevelCreditInput, ends: readonly number[]): Map<number, number> {
  const turnReturns = new Map<number, number>();
  let nextValue = 0;
  let accumulated = 0;
  for (const [index, end] of [...ends.entries()].reverse()) {
    const value = input.values[end] as number;
    const inside = sumBetween(input, (ends[index - 1] ?? -1) + 1, end);
    const reward = inside + (input.rewards[end] as number);
    const delta = reward + input.turnGamma * nextValue - value;
    accumulated = delta + input.turnGamma * input.lambda * accumulated;
    turnReturns.set(end, accumulated + value - inside);
    nextValue = value;
  }
  return turnReturns;
}

/** The rewards of loss tokens `[from, to)`. */
function sumBetween({ rewards, lossMask }: BiLevelCreditInput, from: number, to: number): number {
  let sum = 0;
  for (let t = from; t < to; t += 1) if (lossMask[t]) sum += rewards[t] as number;
  return sum;
}

function completeTurnEnds(turnEnds: readonly number[], lossMask: ArrayLike<number>): number[] {
  turnEnds.forEach((end, k) => {
    const isAscending = k === 0 || end > (turnEnds[k - 1] as number);
    if (isAscending && lossMask[end]) return;
    throw new AppError(
      'contracts.invalid_value',
      `bi-level gae: turn end ${end} (turn ${k}) is ${isAscending ? 'not a loss token' : 'not after the previous one'}; turn ends must be loss tokens in ascending order`,
    );
  });
  const lastLossToken = Array.from(lossMask).findLastIndex((isInLoss) => isInLoss !== 0);
  const isComplete = lastLossToken < 0 || turnEnds.at(-1) === lastLossToken;
  return isComplete ? [...turnEnds] : [...turnEnds, lastLossToken];
}
