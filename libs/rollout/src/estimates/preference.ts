/** @file What paired comparisons say about which of two is better. */
import { wilsonInterval } from './wilson.js';

export interface Preference {
  readonly wins: number;
  readonly ties: number;
  readonly losses: number;
  /** wins / (wins + losses): ties are no evidence for either and are left out; null without a decision */
  readonly winRate: number | null;
  readonly low: number;
  readonly high: number;
}

/**
 * Computes the win rate of the first of two with its 95 % Wilson interval. Each score is the balance of one item over its
 * raters, so that several ratings of one item count once: above 0 the first won, below 0 it lost, 0 is a tie.
 */
export function estimatePreference(scores: readonly number[]): Preference {
  const wins = scores.filter((score) => score > 0).length;
  const losses = scores.filter((score) => score < 0).length;
  const decided = wins + losses;
  return {
    wins,
    ties: scores.length - decided,
    losses,
    winRate: decided === 0 ? null : wins / decided,
    ...wilsonInterval(wins, decided),
  };
}
