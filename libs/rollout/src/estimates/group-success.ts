/** @file Success over groups, each of which counts alike, whatever its size. */
import { wilsonInterval } from './wilson.js';

/**
 * Estimates success as the mean over groups of their pass rates, with its 95 % interval: that of Wilson for as many
 * trajectories as are worth as much where all weigh alike, (Σ weight)² / Σ weight². With groups of one size both are those
 * of all trajectories.
 *
 * @param groups successes and trajectories of each; those without trajectories do not count
 * @returns a rate of 0 between 0 and 1 where there are none
 * @see Kish 1965, _Survey Sampling_: what weighted trials are worth
 */
export function estimateGroupSuccess(
  groups: readonly (readonly [successes: number, trajectories: number])[],
): { readonly rate: number; readonly low: number; readonly high: number } {
  const most = groups.reduce((largest, [, size]) => Math.max(largest, size), 0);
  if (most === 0) return { rate: 0, low: 0, high: 1 };
  // each trajectory weighs most / size
  const sums = { successes: 0, weights: 0, squares: 0 };
  for (const [successes, size] of groups) {
    if (size === 0) continue;
    sums.successes += (most * successes) / size;
    sums.weights += most;
    sums.squares += most ** 2 / size;
  }
  const perWeight = sums.weights / sums.squares;
  const interval = wilsonInterval(sums.successes * perWeight, sums.weights * perWeight);
  return { rate: sums.successes / sums.weights, ...interval };
}
