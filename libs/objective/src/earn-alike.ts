/**
 * @file Whether a batch tells good from bad. Where it does not, what a critic makes of it is the critic's own error.
 */
import { placeOnLossTokens } from './advantage/placement.js';
import type { CreditedTrajectory } from './trajectory-credit.js';

/** Amounts that differ by less are rounding errors of equal ones. */
const smallestDifference = 1e-8;

/**
 * Reports whether all trajectories earn the same from each turn on, as far as they get. One alone has nothing to be compared
 * with.
 *
 * @param returnsOf what a trajectory earns from each loss token on, discounted as credit does
 */
export function earnAlike(
  trajectories: readonly CreditedTrajectory[],
  returnsOf: (trajectory: CreditedTrajectory) => ArrayLike<number>,
): boolean {
  if (trajectories.length < 2) return false;
  if (trajectories.some(({ evidence }) => evidence?.some((amount) => amount !== 0))) return false;
  const expected: number[] = []; // of each turn
  return trajectories.every((trajectory) => {
    const returns = returnsOf(trajectory);
    return turnStarts(trajectory).every((start, turn) => {
      const earned = returns[start] ?? 0;
      const same = (expected[turn] ??= earned);
      return Math.abs(earned - same) <= smallestDifference;
    });
  });
}

/** The first loss token of each turn that has any. */
function turnStarts({ rewards, turnEnds, lossMask }: CreditedTrajectory): number[] {
  const { turnEnds: ends } = placeOnLossTokens(rewards, turnEnds, lossMask);
  return ends.map((_, turn) => lossMask.indexOf(1, turn === 0 ? 0 : (ends[turn - 1] as number) + 1));
}
