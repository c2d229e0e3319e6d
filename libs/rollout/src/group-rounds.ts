/**
 * @file Groups whose sizes follow what is sampled: every group begins with a few trajectories, and the rest of the step is
 * given out round by round, more to groups of which it is uncertain whether the agent succeeds.
 * Sources: Xiong et al. 2025, arXiv:2510.04996 (Reinforce-Ada), rounds in which prompts leave once they have enough
 * successes and failures; Li et al. 2025, arXiv:2509.25849 (Knapsack RL), the budget of easy and hopeless prompts goes to
 * others.
 * Differences: a round gives each slot to the group whose pass rate is the most uncertain, by the variance of a Beta
 * posterior with a uniform prior; no slot is given at random, so equal runs sample alike.
 */
import type { AdaptiveSpec } from '@espalier/contracts/schedule-options';

/** What is known of a group so far. */
export interface GroupRecord {
  /** trajectories sampled, failed episodes included */
  readonly size: number;
  readonly successes: number;
  readonly failures: number;
}

/** Variance of the pass rate, after a uniform prior: a(b) / ((a + b)² (a + b + 1)). */
function uncertainty(successes: number, failures: number): number {
  const a = successes + 1;
  const b = failures + 1;
  return (a * b) / ((a + b) ** 2 * (a + b + 1));
}

/** Whether a group has enough of both outcomes. */
export const isDecided = ({ enough }: AdaptiveSpec, { successes, failures }: GroupRecord): boolean =>
  enough > 0 && Math.min(successes, failures) >= enough;

/**
 * Gives out the next round: as many trajectories as groups began with, at most `left`.
 *
 * @returns how many each group gets; all 0: no group takes more
 */
export function nextRound(options: AdaptiveSpec, groups: readonly GroupRecord[], left: number): number[] {
  const added = groups.map(() => 0);
  const scoreOf = (index: number): number => {
    const group = groups[index] as GroupRecord;
    const more = added[index] as number;
    if (group.size + more >= options.most || isDecided(options, group)) return 0;
    // what is under way counts as if it came out as expected, so that a round is spread over groups
    const rate = (group.successes + 1) / (group.successes + group.failures + 2);
    return uncertainty(group.successes + more * rate, group.failures + more * (1 - rate));
  };
  for (let slot = 0; slot < Math.min(left, groups.length * options.first); slot++) {
    let best = -1;
    let highest = 0;
    groups.forEach((_, index) => {
      const score = scoreOf(index);
      if (score > highest) [best, highest] = [index, score];
    });
    if (best < 0) break;
    added[best] = (added[best] as number) + 1;
  }
  return added;
}

/** One episode of a collection. */
export interface Slot {
  /** its group, among those of the collection */
  readonly own: number;
  /** among the trajectories of the group */
  readonly index: number;
  /** what the others are compared with */
  readonly isGreedy?: boolean;
}

/** Lists the next episodes of each group, group by group; `sizes` says how many each has had. */
export const listSlots = (
  groups: number,
  countOf: (own: number) => number,
  sizes: readonly number[] = [],
): Slot[] =>
  Array.from({ length: groups }, (_, own) =>
    Array.from({ length: countOf(own) }, (_slot, place): Slot => ({ own, index: (sizes[own] ?? 0) + place })),
  ).flat();

/** How to play a step round by round. */
interface RoundsRequest<Outcome> {
  readonly groups: number;
  /** trajectories of the step */
  readonly total: number;
  /** leaves out what was not played once `signal` is aborted */
  readonly play: (slots: readonly Slot[]) => Promise<Outcome[]>;
  readonly recordOf: (outcomes: readonly Outcome[]) => GroupRecord;
  readonly signal: AbortSignal;
}

/** Plays a step round by round; gives what came of it, group by group. */
export async function playRounds<Outcome>(
  options: AdaptiveSpec,
  { groups, total, play, recordOf, signal }: RoundsRequest<Outcome>,
): Promise<Outcome[]> {
  const byGroup = Array.from({ length: groups }, (): Outcome[] => []);
  let counts = byGroup.map(() => options.first);
  for (let left = total; counts.some((count) => count > 0);) {
    const sizes = byGroup.map(({ length }) => length);
    const slots = listSlots(groups, (own) => counts[own] ?? 0, sizes);
    const played = await play(slots);
    if (signal.aborted) return [...byGroup.flat(), ...played];
    slots.forEach(({ own }, place) => byGroup[own]?.push(played[place] as Outcome));
    left -= slots.length;
    counts = nextRound(options, byGroup.map(recordOf), left);
  }
  return byGroup.flat();
}
