/** @file Other rewards for trajectories that a run has stored. */
import { AppError, type ScoreRecord } from '@espalier/contracts';
import type { ThinkPart } from '@espalier/contracts/prompt-format';
import type { EvaluationResult } from '@espalier/protocol';
import type { StoredTrajectory } from '@espalier/recorder';
import { type BoundReward, scoreTrajectory } from '@espalier/rollout';

/** A stored trajectory under other rewards. */
export interface Rescored {
  readonly stored: StoredTrajectory;
  readonly score: ScoreRecord;
  /** by full name, `reward/<id>/<metric>` */
  readonly metrics: Readonly<Record<string, number>>;
}

/**
 * Scores what did not fail, one after another, as at the time it was sampled.
 *
 * @param thinkParts what the prompt of the run demands
 * @throws cli.usage where the run did not record what rewards read; plugin.failed
 */
export async function rescoreRewards(
  trajectories: readonly StoredTrajectory[],
  rewards: readonly BoundReward[],
  { thinkParts, signal }: { readonly thinkParts: readonly ThinkPart[]; readonly signal: AbortSignal },
): Promise<Rescored[]> {
  const rescored: Rescored[] = [];
  for (const stored of trajectories) {
    signal.throwIfAborted();
    const { score: _, kept: _kept, dropped: _dropped, textEnds, ...rest } = stored;
    if (textEnds === undefined)
      throw new AppError(
        'cli.usage',
        `rescore ${stored.id}: it was recorded by a version that did not keep where the text of tokens ends, which rewards may read; train again with this version, or rescore newer runs`,
      );
    const unscored = { ...rest, textEnds, ...(thinkParts.length === 0 ? {} : { thinkParts }) };
    const { trajectory, metrics } = await scoreTrajectory(unscored, rewards, signal);
    rescored.push({ stored, score: trajectory.score, metrics });
  }
  return rescored;
}

type RescoredRewards = NonNullable<EvaluationResult['rescoredRewards']>;

/** Compares old and new totals. */
export function summarizeRewards(rescored: readonly Rescored[]): RescoredRewards {
  const before = rescored.map(({ stored }) => stored.score.total);
  const after = rescored.map(({ score }) => score.total);
  const groups = listGroups(rescored);
  const differing = (totals: readonly number[]): number =>
    mean(groups.map((members) => (new Set(members.map((index) => totals[index])).size > 1 ? 1 : 0)));
  return {
    meanStored: mean(before),
    meanRescored: mean(after),
    correlation: correlate(before, after),
    reversed: reversedShare(groups, before, after),
    differingStored: differing(before),
    differingRescored: differing(after),
  };
}

/** Mean value of each new reward, unweighted, and of its metrics, by name. */
export function meanMetrics(rescored: readonly Rescored[]): Record<string, number> {
  const rows = rescored.map(({ metrics }) => metrics);
  const names = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  return Object.fromEntries(
    names.map((name) => [name, mean(rows.flatMap((row) => (name in row ? [row[name] as number] : [])))]),
  );
}

/** Indices of the members of each group. */
function listGroups(rescored: readonly Rescored[]): number[][] {
  const groups = new Map<string, number[]>();
  for (const [index, { stored }] of rescored.entries()) {
    const { split, step, environmentTag = '', group } = stored;
    const key = [split, step, environmentTag, group].join('/');
    groups.set(key, [...(groups.get(key) ?? []), index]);
  }
  return [...groups.values()];
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
