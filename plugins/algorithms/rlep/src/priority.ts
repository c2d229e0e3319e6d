/**
 * @file Draws by rank. Source: Schaul et al. 2016, arXiv:1511.05952, sec. 3.3, eq. 1: P(i) = p_i^α / Σ p^α with
 * p_i = 1 / rank(i). Differences: scores are deviations of totals, not temporal differences; nothing is drawn twice; the
 * update has no importance weights for it.
 */
import { type HeldGroup, objective, type RandomStream } from '@espalier/plugin-kit';

/** Standard deviation of the totals of each group, divisor n − 1. */
export const deviationsOf = (groups: readonly HeldGroup[]): number[] => {
  const rule = { kind: 'absolute', value: 0, zeros: 'drop' } as const;
  const { numbers } = objective.filterGroups(
    groups.map(({ totals }, group) => ({ group, totals })),
    rule,
  );
  return groups.map((_, index) => numbers[index]?.['deviation'] ?? 0);
};

/**
 * Draws places of scores without replacement, each time with weights rank^−exponent. The highest score has rank 1; of
 * equal ones the later.
 *
 * @param exponent ≥ 0; 0 = uniform
 * @returns at most `limit` places, in the order they were drawn
 */
export function drawByRank(
  scores: readonly number[],
  exponent: number,
  limit: number,
  stream: RandomStream,
): number[] {
  const ranked = scores
    .map((score, place) => ({ score, place }))
    .sort((a, b) => b.score - a.score || b.place - a.place);
  const weights = ranked.map((_, index) => (index + 1) ** -exponent);
  return Array.from({ length: Math.min(limit, ranked.length) }, () => {
    const drawn = stream.choice(weights);
    weights[drawn] = 0;
    return ranked[drawn]?.place ?? -1;
  });
}
