/**
 * @file Chooses the groups worth learning from by how much the totals of their trajectories differ, and says of every
 * other group why not. Sources: RAGEN, Wang et al. 2025, arXiv:2504.20073 (StarPO-S: the share with the largest standard
 * deviation); RAGEN-2, arXiv:2604.06268 (top-p, top-k, min-p, with or without zeros; loss scaling and soft weights in
 * filter-weights.ts); DAPO, Yu et al. 2025, arXiv:2503.14476 (groups that agree are left out: `absolute` with 0).
 *
 * Defects of the published code that this does not have: it ranks normalised and penalised scores, which makes groups
 * alike before they are ranked (here: raw totals); its threshold of top-p is 0.01 in units of the reward, so that small
 * rewards lose groups (here: relative); with top-p and value 1 zeros stay although they were to be left out.
 */
import { AppError } from '@espalier/contracts';
import { findFilterProblem, type GroupFilterKind } from '@espalier/contracts/group-filter';
import { estimateMoments } from './statistics.js';

export interface GroupRule {
  readonly kind: GroupFilterKind;
  /** share of all groups, number of groups, share of the sum, of the largest score, or a score: by `kind` */
  readonly value: number;
  /** whether groups without a difference may be kept */
  readonly zeros: 'drop' | 'keep';
}

/** A group as a filter sees it. */
export interface FilteredGroup {
  /** raw totals */
  readonly totals: ArrayLike<number>;
  /** variance of the totals that the environment's chance explains; default 0 */
  readonly chance?: number | undefined;
}

export interface GroupFilter {
  /** indices into the given groups, ascending */
  readonly kept: number[];
  /** per group: `kept`, `low-variance`, `zero-variance`, or `chance` where nothing but chance differs */
  readonly reasons: string[];
  /** per group: what decided */
  readonly numbers: Readonly<Record<string, number>>[];
  /** per group: √(variance − chance), divisor n − 1 */
  readonly scores: Float64Array; // [P]
}

/** Corrects products such as 0.29 · 100, which is slightly less than 29 in binary, and sums of shares. */
const ROUNDING = 1e-9;

/** Significant digits for ranking scores; the rest is rounding error, which would break ties at random. */
const RANKED_DIGITS = 12;

interface Ranked {
  readonly index: number;
  readonly score: number;
}

/** Gives how many of the ranked candidates are kept, and the numbers of that decision. */
type Count = (
  ranked: readonly Ranked[],
  value: number,
  groups: number,
) => { readonly count: number; readonly bound: Readonly<Record<string, number>> };

const counts: Readonly<Record<GroupRule['kind'], Count>> = {
  ratio: (_, value, groups) => {
    const limit = Math.max(1, Math.floor(groups * value + ROUNDING));
    return { count: limit, bound: { limit } };
  },
  'top-k': (_, value) => ({ count: value, bound: { limit: value } }),
  'top-p': (ranked, value) =>
    countShare(
      ranked.map(({ score }) => score),
      value,
    ),
  'top-p-softmax': (ranked, value) => {
    const largest = ranked[0]?.score ?? 0;
    return countShare(
      ranked.map(({ score }) => Math.exp(score - largest)),
      value,
    );
  },
  'min-p': (ranked, value) => countFrom(ranked, value * (ranked[0]?.score ?? 0)),
  absolute: (ranked, value) => countFrom(ranked, value),
};

/** Counts the shortest prefix that has the share `p` of the sum. */
function countShare(weights: readonly number[], p: number): ReturnType<Count> {
  const sum = weights.reduce((total, weight) => total + weight, 0);
  let reached = 0;
  let count = 0;
  while (count < weights.length && reached < (p - ROUNDING) * sum) reached += weights[count++] as number;
  return { count, bound: { limit: count, share: p } };
}

/** Counts the scores of at least `least`. */
function countFrom(ranked: readonly Ranked[], least: number): ReturnType<Count> {
  const isEnough = ({ score }: Ranked): boolean => score >= least * (1 - ROUNDING);
  return { count: ranked.filter(isEnough).length, bound: { least } };
}

/**
 * Chooses groups by the standard deviation of their raw totals, less what chance explains; ties by lower index.
 *
 * `ratio`: the share `value` of all groups, rounded down, at least one; `top-k`: `value` groups; `top-p`: the fewest whose
 * scores are together at least the share `value` of the sum of all; `top-p-softmax`: the same over softmax(scores);
 * `min-p`: scores of at least `value` times the largest; `absolute`: scores of at least `value`. With `zeros: drop`
 * only groups that differ are candidates, and where there are none nothing is kept; `top-p` keeps no group of score 0
 * even with `zeros: keep`, unless `value` is 1.
 *
 * @throws contracts.invalid_value when `value` does not fit `kind`, or a total is not finite
 */
export function filterGroups(groups: readonly FilteredGroup[], rule: GroupRule): GroupFilter {
  validateRule(rule);
  const own = groups.map((group, index) => scoreGroup(group, index));
  const isEligible = (index: number): boolean => rule.zeros === 'keep' || (own[index]?.score ?? 0) > 0;
  const ranked = own
    .map(({ score }, index) => ({ index, score: Number(score.toPrecision(RANKED_DIGITS)) }))
    .filter(({ index }) => isEligible(index))
    .sort((a, b) => b.score - a.score || a.index - b.index);
  const isAll = rule.value === 1 && rule.kind.startsWith('top-p');
  const { count, bound } = counts[rule.kind](ranked, rule.value, groups.length);
  const chosen = isAll ? ranked : ranked.slice(0, count);
  const isKept = new Set(chosen.map(({ index }) => index));
  const rankOf = new Map(ranked.map(({ index }, place) => [index, place + 1]));
  return {
    kept: [...isKept].sort((a, b) => a - b),
    reasons: own.map(({ score, deviation }, index) =>
      isKept.has(index) ? 'kept' : score > 0 ? 'low-variance' : deviation > 0 ? 'chance' : 'zero-variance',
    ),
    numbers: own.map(({ score, deviation, chance }, index) => ({
      deviation,
      ...(chance === undefined ? {} : { chance: Math.sqrt(chance), score }),
      ...(rankOf.has(index) ? { rank: rankOf.get(index) as number, ...bound } : {}),
    })),
    scores: Float64Array.from(own, ({ score }) => score),
  };
}

function scoreGroup({ totals, chance }: FilteredGroup, index: number) {
  const wrong = Array.from(totals).find((total) => !Number.isFinite(total));
  if (wrong !== undefined)
    throw new AppError(
      'contracts.invalid_value',
      `filter groups: group ${index} has the total ${wrong}; expected finite numbers`,
    );
  const { std: deviation } = estimateMoments(totals);
  const score = chance === undefined ? deviation : Math.sqrt(Math.max(0, deviation ** 2 - chance));
  return { deviation, chance, score };
}

function validateRule(rule: GroupRule): void {
  const expected = findFilterProblem(rule.kind, rule.value);
  if (expected === undefined) return;
  throw new AppError(
    'contracts.invalid_value',
    `filter groups: value is ${rule.value} with kind ${rule.kind}; expected ${expected}`,
  );
}
