/** @file Totals normalised before credit: an algorithm sees them in place of what was earned. */
import type { RunSpec } from '@espalier/contracts';
import type { CreditTrajectory } from '@espalier/plugin-kit';

type Options = NonNullable<RunSpec['update']['rewardNormalization']>;

/** A smaller deviation is that of totals which are equal. */
const smallestDeviation = 1e-6;
const lowest = -1;
const highest = 3;

/**
 * Replaces totals R by R − mean, by z = (R − mean) / (deviation + 1e-6), or by z within −1 and 3. Rewards are divided as
 * totals are; what is taken off or clipped is taken off the last turn, so that rewards add up to the total. Where all totals are
 * equal, those divided are 0. One alone has nothing to be compared with and stays as it is. Deviations have divisor n − 1.
 *
 * @param tags of the trajectories
 * @see Wang et al. 2025 (RAGEN), `reward_normalization` of its code
 */
export function normalizeRewards(
  trajectories: readonly CreditTrajectory[],
  tags: readonly string[],
  options: Options | undefined,
): readonly CreditTrajectory[] {
  if (options === undefined || options.method === 'identity') return trajectories;
  const { by, method } = options;
  const keyOf = (index: number): string | number =>
    ({ state: trajectories[index]?.group ?? 0, batch: 0, tag: tags[index] ?? '' })[by];
  const totals = new Map<string | number, number[]>();
  trajectories.forEach(({ total }, index) => {
    const key = keyOf(index);
    totals.set(key, [...(totals.get(key) ?? []), total]);
  });
  const moments = new Map([...totals].map(([key, own]) => [key, momentsOf(own)]));
  return trajectories.map((trajectory, index) => {
    const { mean, deviation } = moments.get(keyOf(index)) ?? { mean: 0, deviation: NaN };
    if (Number.isNaN(deviation)) return trajectory;
    if (method === 'mean') return rescale(trajectory, 1, trajectory.total - mean);
    if (deviation <= smallestDeviation) return rescale(trajectory, 0, 0);
    const scale = 1 / (deviation + smallestDeviation);
    const total = (trajectory.total - mean) * scale;
    const bounded = Math.min(highest, Math.max(lowest, total));
    return rescale(trajectory, scale, method === 'asymmetric-clip' ? bounded : total);
  });
}

/** Mean and deviation; NaN of one alone. */
function momentsOf(totals: readonly number[]): { mean: number; deviation: number } {
  const mean = totals.reduce((sum, total) => sum + total, 0) / totals.length;
  const squares = totals.reduce((sum, total) => sum + (total - mean) ** 2, 0);
  return { mean, deviation: totals.length < 2 ? NaN : Math.sqrt(squares / (totals.length - 1)) };
}

/** Multiplies rewards, and lets the last turn earn what is missing to the total. */
function rescale(trajectory: CreditTrajectory, scale: number, total: number): CreditTrajectory {
  const rewards = trajectory.rewards.map((reward) => scale * reward);
  const end = trajectory.turnEnds.at(-1);
  if (end !== undefined) rewards[end] = (rewards[end] ?? 0) + total - scale * trajectory.total;
  const { evidence } = trajectory;
  return {
    ...trajectory,
    total,
    rewards,
    ...(evidence === undefined ? {} : { evidence: evidence.map((part) => scale * part) }),
  };
}
