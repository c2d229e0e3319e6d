/** @file Other rewards for trajectories that a run has stored. */
import { AppError, type ScoreRecord } from '@espalier/contracts';
import type { ThinkPart } from '@espalier/contracts/prompt-format';
import type { EvaluationResult } from '@espalier/protocol';
import type { StoredTrajectory } from '@espalier/recorder';
import { type BoundReward, scoreTrajectory } from '@espalier/rollout';

/** A stored trajectory under other rewards. */
export interface Rescored {
  readonly score: ScoreRecord;
  /** by full name, `reward/<id>/<metric>` */
  readonly metrics: Readonly<Record<string, number>>;
}

/**
 * Scores a trajectory that did not fail, as at the time it was sampled.
 *
 * @param thinkParts what the prompt of the run demands
 * @throws cli.usage where the run did not record what rewards read; plugin.failed
 */
export async function rescoreRewards(
  stored: StoredTrajectory,
  rewards: readonly BoundReward[],
  { thinkParts, signal }: { readonly thinkParts: readonly ThinkPart[]; readonly signal: AbortSignal },
): Promise<Rescored> {
  const { score: _, kept: _kept, dropped: _dropped, textEnds, ...rest } = stored;
  if (textEnds === undefined)
    throw new AppError(
      'cli.usage',
      `rescore ${stored.id}: it was recorded by a version that did not keep where the text of tokens ends, which rewards may read; train again with this version, or rescore newer runs`,
    );
  const unscored = { ...rest, textEnds, ...(thinkParts.length === 0 ? {} : { thinkParts }) };
  const { trajectory, metrics } = await scoreTrajectory(unscored, rewards, signal);
  return { score: trajectory.score, metrics };
}

type RewardParts = Pick<EvaluationResult, 'metrics' | 'rescoredRewards' | 'rescoredTotals'>;
type RewardResult = { readonly [Name in keyof RewardParts]-?: NonNullable<RewardParts[Name]> };

/** Compares old and new totals; keeps two numbers of each trajectory, and sums. */
export interface RewardComparison {
  /** @param isCompared false: its totals are kept, but enter no mean and no group, as a greedy baseline's */
  add(stored: StoredTrajectory, rescored: Rescored, isCompared?: boolean): void;
  /** with the mean of each new reward, unweighted, and of its metrics, by name */
  result(): RewardResult;
}

export function createRewardComparison(): RewardComparison {
  const totals: RewardResult['rescoredTotals'][number][] = [];
  const compared: typeof totals = [];
  const groups = new Map<string, number[]>();
  const sums = new Map<string, { sum: number; count: number }>();
  return {
    add(stored, { score, metrics }, isCompared = true) {
      const own = { trajectory: stored.id, stored: stored.score.total, rescored: score.total };
      totals.push(own);
      if (!isCompared) return;
      const { split, step, environmentTag = '', group } = stored;
      const key = [split, step, environmentTag, group].join('/');
      const members = groups.get(key);
      if (members === undefined) groups.set(key, [compared.length]);
      else members.push(compared.length);
      compared.push(own);
      for (const [name, value] of Object.entries(metrics)) {
        const entry = sums.get(name) ?? { sum: 0, count: 0 };
        sums.set(name, { sum: entry.sum + value, count: entry.count + 1 });
      }
    },
    result: () => ({
      metrics: Object.fromEntries([...sums].map(([name, { sum, count }]) => [name, sum / count])),
      rescoredRewards: compareTotals(
        [...groups.values()],
        compared.map(({ stored }) => stored ?? Number.NaN),
        compared.map(({ rescored }) => rescored ?? Number.NaN),
      ),
      rescoredTotals: totals,
    }),
  };
}

/** @param groups indices of the members of each */
function compareTotals(
  groups: readonly (readonly number[])[],
  before: readonly number[],
  after: readonly number[],
): RewardResult['rescoredRewards'] {
  // one alone differs from nobody
  const several = groups.filter((members) => members.length > 1);
  const differing = (totals: readonly number[]): number =>
    several.length === 0
      ? 0
      : mean(several.map((members) => (new Set(members.map((index) => totals[index])).size > 1 ? 1 : 0)));
  return {
    meanStored: mean(before),
    meanRescored: mean(after),
    correlation: correlate(before, after),
    reversed: reversedShare(groups, before, after),
    differingStored: differing(before),
    differingRescored: differing(after),
  };
}

const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length;

function correlate(a: readonly number[], b: readonly number[]): number | null {
  const [meanA, meanB] = [mean(a), mean(b)];
  const sum = (of: (index: number) => number): number => mean(a.map((_, index) => of(index)));
  const offA = (index: number): number => (a[index] ?? 0) - meanA;
  const offB = (index: number): number => (b[index] ?? 0) - meanB;
  const spread = Math.sqrt(sum((i) => offA(i) ** 2) * sum((i) => offB(i) ** 2));
  return spread > 1e-12 ? sum((i) => offA(i) * offB(i)) / spread : null;
}

function reversedShare(
  groups: readonly (readonly number[])[],
  before: readonly number[],
  after: readonly number[],
): number | null {
  let pairs = 0;
  let reversed = 0;
  for (const members of groups)
    for (const [place, first] of members.entries())
      for (const second of members.slice(place + 1)) {
        const was = Math.sign((before[first] ?? 0) - (before[second] ?? 0));
        if (was === 0) continue;
        pairs += 1;
        if (Math.sign((after[first] ?? 0) - (after[second] ?? 0)) === -was) reversed += 1;
      }
  return pairs === 0 ? null : reversed / pairs;
}
