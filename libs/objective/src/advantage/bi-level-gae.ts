/**
 * @file Bi-level generalised advantage estimation: first between turns, then between the tokens of each turn.
 * Turn ends are given, never guessed from non-zero rewards: a turn without reward is still a turn.
 * Source: VAGEN, Wang et al. 2025, arXiv:2510.16907, "Bi-Level GAE"; the same option exists in RAGEN.
 * Differs: explicit turn ends; returns are taken before whitening; token steps pass over gaps as in gae.ts.
 */
import { AppError } from '@espalier/contracts';
import { requireSameLength } from '../require-same-length.js';
import type { TokenCredit, TokenCreditInput } from './gae.js';

export interface BiLevelCreditInput extends Omit<TokenCreditInput, 'bootstrap'> {
  /** positions of the last loss token of each turn, ascending */
  readonly turnEnds: readonly number[];
  /** discount from one turn to the next, in [0, 1] */
  readonly turnGamma: number;
}

/**
 * Estimates token advantages in two levels.
 *
 * Between turn ends e_k: δ_k = r(e_k) + γ_turn V(e_{k+1}) − V(e_k), A_k = δ_k + γ_turn λ A_{k+1}. Then A_k + V(e_k)
 * stands in for the reward at e_k, and tokens of each turn get GAE with γ and λ that ends at e_k. The episode must
 * have ended: nothing is bootstrapped after the last turn. Loss tokens after the last turn end form a turn of
 * their own, ending at the last of them.
 *
 * @throws objective.length_mismatch; contracts.invalid_value when a turn end is no loss token or out of order
 */
export function estimateBiLevelGae(input: BiLevelCreditInput): TokenCredit {
  const { rewards, values, lossMask, gamma, lambda } = input;
  requireSameLength('bi-level gae', { rewards, values, lossMask });
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
      nextValue = 0; // a turn's tokens see later turns only through the turn's return
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
  for (const end of [...ends].reverse()) {
    const value = input.values[end] as number;
    const delta = (input.rewards[end] as number) + input.turnGamma * nextValue - value;
    accumulated = delta + input.turnGamma * input.lambda * accumulated;
    turnReturns.set(end, accumulated + value);
    nextValue = value;
  }
  return turnReturns;
}

function completeTurnEnds(turnEnds: readonly number[], lossMask: ArrayLike<number>): number[] {
  turnEnds.forEach((end, k) => {
    const isAscending = k === 0 || end > (turnEnds[k - 1] as number);
    if (isAscending && lossMask[end]) return;
    throw new AppError(
      'contracts.invalid_value',
      `bi-level gae: turn end ${end} (turn ${k}) is ${isAscending ? 'not a loss token' : 'not after the one before'}; turn ends must be loss tokens in ascending order`,
    );
  });
  const lastLossToken = Array.from(lossMask).findLastIndex((isInLoss) => isInLoss !== 0);
  const isComplete = lastLossToken < 0 || turnEnds.at(-1) === lastLossToken;
  return isComplete ? [...turnEnds] : [...turnEnds, lastLossToken];
}
