/**
 * @file Moves rewards and turn ends onto tokens that count. A turn's reward arrives at its last sampled token, which
 * a run may exclude from the loss (for example the end-of-turn token); left there, the estimators would never see it.
 */
import { requireSameLength } from '../require-same-length.js';

export interface PlacedRewards {
  /** same sum as before whenever at least one token counts */
  readonly rewards: Float64Array; // [T]
  /** ascending, without repeats, all counted */
  readonly turnEnds: number[];
}

/**
 * Moves each reward and turn end to the nearest counted position at or before it, or else to the first counted one.
 *
 * Turns without a counted token join the turn before them. Without any counted token the result is empty.
 *
 * @throws objective.length_mismatch
 */
export function placeOnCounted(
  rewards: ArrayLike<number>,
  turnEnds: readonly number[],
  counted: ArrayLike<number>,
): PlacedRewards {
  requireSameLength('reward placement', { rewards, counted });
  const placed = new Float64Array(rewards.length);
  const nearest = nearestCounted(counted);
  for (let t = 0; t < rewards.length; t += 1) {
    const target = nearest[t] as number;
    if (target >= 0) placed[target] = (placed[target] as number) + (rewards[t] as number);
  }
  const ends = new Set(turnEnds.map((end) => nearest[end] ?? -1).filter((end) => end >= 0));
  return { rewards: placed, turnEnds: [...ends].sort((a, b) => a - b) };
}

function nearestCounted(counted: ArrayLike<number>): Int32Array {
  const nearest = new Int32Array(counted.length);
  let last = Array.from(counted).findIndex((isCounted) => isCounted !== 0);
  for (let t = 0; t < counted.length; t += 1) {
    if (counted[t]) last = t;
    nearest[t] = last;
  }
  return nearest;
}
