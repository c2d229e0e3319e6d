/**
 * @file Whether a batch tells good from bad. Where it does not, what whitening makes of it is the error of a critic, or the
 * place of a token.
 */
import { placeOnLossTokens } from './advantage/placement.js';
import type { CreditedTrajectory } from './trajectory-credit.js';

/** Amounts that differ by less are rounding errors of equal ones. */
const smallestDifference = 1e-8;

/**
 * Reports whether all trajectories earn the same from each turn on, as far as they get. Every token of a turn is compared,
 * as little of a reward may be left at the first ones. One alone has nothing to be compared with.
 *
 * @param earnedBy what the trajectory of an index earns from each loss token on, discounted as credit does; asked for until
 *                 one differs
 */
export function earnAlike(
  trajectories: readonly CreditedTrajectory[],
  earnedBy: (index: number) => ArrayLike<number>,
): boolean {
  if (trajectories.length < 2) return false;
  if (trajectories.some(({ evidence }) => evidence?.some((amount) => amount !== 0))) return false;
  const expected: number[][] = []; // of each turn, at each of its tokens
  return trajectories.every((trajectory, i) => {
    const returns = earnedBy(i);
    return listTurns(trajectory).every((tokens, turn) => {
      const known = (expected[turn] ??= []);
      return tokens.every((t, place) => {
        const earned = returns[t] ?? 0;
        return Math.abs(earned - (known[place] ??= earned)) <= smallestDifference;
      });
    });
  });
}

/** The loss tokens of each turn that has any; those after the last end belong to the last turn. */
function listTurns({ rewards, turnEnds, lossMask }: CreditedTrajectory): number[][] {
  const { turnEnds: ends } = placeOnLossTokens(rewards, turnEnds, lossMask);
  const turns: number[][] = [[]];
  lossMask.forEach((isCounted, t) => {
    if (isCounted === 0) return;
    if (turns.length < ends.length && t > (ends[turns.length - 1] as number)) turns.push([]);
    turns.at(-1)?.push(t);
  });
  return turns;
}
