/**
 * @file Moves rewards and turn ends onto loss tokens. The reward of a turn belongs to its last sampled token, which a run
 * may exclude from the loss (for example the end-of-turn token); left there, estimators would ignore it.
 */
import { assertSameLength } from './statistics.js';

export interface PlacedRewards {
  /** the same sum as before if there is at least one loss token */
  readonly rewards: Float64Array; // [T]
  /** ascending and unique, all in the loss mask */
  readonly turnEnds: number[];
}

/**
 * Moves each reward and turn end to the nearest loss token at or before it, or else to the first loss token.
 *
 * Turns without loss tokens join the previous turn. Without any loss token the result is empty.
 *
 * @throws objective.length_mismatch
 */
export function placeOnLossTokens(
  rewards: ArrayLike<number>,
  turnEnds: readonly number[],
  lossMask: ArrayLike<number>,
): PlacedRewards {
  assertSameLength('reward placement', { rewards, lossMask });
  const placed = new Float64Array(rewards.length);
  const nearest = nearestLossToken(lossMask);
  for (let t = 0; t < rewards.length; t += 1) {
    const target = nearest[t] as number;
    if (target >= 0) placed[target] = (placed[target] as number) + (rewards[t] as number);
  }
  const ends = new Set(turnEnds.map((end) => nearest[end] ?? -1).filter((end) => end >= 0));
  return { rewards: placed, turnEnds: [...ends].sort((a, b) => a - b) };
}

function nearestLossToken(lossMask: ArrayLike<number>): Int32Array {
  const nearest = new Int32Array(lossMask.length);
  let last = Array.from(lossMask).findIndex((isInLoss) => isInLoss !== 0);
  for (let t = 0; t < lossMask.length; t += 1) {
    if (lossMask[t]) last = t;
    nearest[t] = last;
  }
  return nearest;
}
