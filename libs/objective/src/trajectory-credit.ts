/**
 * @file Credit assignment for finished trajectories, with a critic or by comparing the trajectories of a group.
 * Combines the estimators of advantage/, where the formulas are.
 */
import { AppError } from '@espalier/contracts';
import { estimateBiLevelGae } from './advantage/bi-level-gae.js';
import { estimateTokenGae, type TokenCredit } from './advantage/gae.js';
import {
  broadcastToTokens,
  estimateGroupAdvantages,
  type GroupNormalization,
} from './advantage/group-relative.js';
import { placeOnLossTokens } from './advantage/placement.js';
import { estimateTokenGroupAdvantages, sumOf, takeOffEvidence } from './advantage/token-group-relative.js';
import { estimateTurnGae } from './advantage/turn-gae.js';
import { whiten } from './advantage/whiten.js';
import { estimateAdvantageMetrics, estimateCriticMetrics } from './credit-metrics.js';
import { earnAlike } from './earn-alike.js';
import { combineValues, type EnsembleOptions, estimateEnsembleMetrics } from './critic-ensemble.js';

/** One finished trajectory; arrays cover every token position. */
export interface CreditedTrajectory {
  readonly group: number;
  /** tag of its environment; absent in a run in one environment */
  readonly tag?: string;
  /** raw total of the score record */
  readonly total: number;
  /** raw total of the greedy trajectory of its group; only where the algorithm needs one */
  readonly greedyTotal?: number;
  /** reward at each turn's last sampled token, and where there is evidence at its tokens; sums to `total` */
  readonly rewards: Float64Array; // [T]
  /** the part of `rewards` that is evidence; absent: none */
  readonly evidence?: Float64Array; // [T]
  /** 1 where the token enters the loss */
  readonly lossMask: Uint8Array; // [T]
  /** value before each loss token, 0 elsewhere; needed with a critic */
  readonly values?: Float64Array; // [T]
  /** the same of each critic, the first included; only where the algorithm asked for several */
  readonly criticValues?: readonly Float64Array[]; // each [T]
  /** log-probability at sampling less that of the reference, nats, 0 outside the loss mask; only with a reference */
  readonly referenceGaps?: Float64Array; // [T]
  /** index of the last sampled token of each turn, ascending */
  readonly turnEnds: readonly number[];
  /** of each turn in `turnEnds`: equal for equal states before it */
  readonly stateKeys?: readonly string[];
}

export interface TrajectoryCredit {
  /** normalised, as the loss reads them */
  readonly advantages: Float64Array[]; // each [T]
  /** by full metric name */
  readonly metrics: Record<string, number>;
}

export interface CriticCreditOptions extends EnsembleOptions {
  /** discount per loss token, in [0, 1] */
  readonly gamma: number;
  /** in [0, 1] */
  readonly lambda: number;
  /** discount per turn, in [0, 1], for bi-level GAE; absent: token GAE */
  readonly turnGamma?: number | undefined;
  /** with `turnGamma`: all tokens of a turn share its advantage, and `gamma` is not read */
  readonly wholeTurns?: boolean;
}

/**
 * Estimates credit with a critic: generalised advantage estimation over loss tokens, whitened over the batch. The values of
 * several critics are combined first, so that they share advantages and returns. Where all trajectories earn the same from
 * each turn on, advantages are 0: whitened, they would be the error of the critic at deviation 1.
 *
 * @returns advantages whitened; returns not; with several critics the combined values
 * @throws contracts.invalid_value when a trajectory has no values
 */
export function estimateCriticCredit(
  trajectories: readonly CreditedTrajectory[],
  options: CriticCreditOptions,
): TrajectoryCredit & { readonly returns: Float64Array[]; readonly values?: Float64Array[] } {
  const values = trajectories.map((trajectory, i) => valuesOf(trajectory, i, options));
  const lossMask = trajectories.map((trajectory) => trajectory.lossMask);
  const credit = trajectories.map((trajectory, i) =>
    estimateOne(trajectory, values[i] as Float64Array, options),
  );
  const advantages = credit.map((one) => one.advantages);
  const returns = credit.map((one) => one.returns);
  const metrics = {
    ...estimateAdvantageMetrics(advantages, lossMask),
    ...estimateCriticMetrics(values, returns, lossMask),
  };
  const earnedBy = (index: number): Float64Array => {
    const trajectory = trajectories[index] as CreditedTrajectory;
    const worthless = new Float64Array(trajectory.rewards.length);
    return estimateOne(trajectory, worthless, { ...options, lambda: 1 }).returns;
  };
  const credited = {
    advantages: whitenUnlessAlike(trajectories, advantages, earnedBy),
    returns,
    metrics,
  };
  const ensembles = trajectories.map(({ criticValues = [] }) => criticValues);
  if (ensembles.every((critics) => critics.length < 2)) return credited;
  return { ...credited, values, metrics: { ...metrics, ...estimateEnsembleMetrics(ensembles, lossMask) } };
}

/**
 * Estimates credit without a critic: every loss token gets its trajectory's total relative to the group, without the
 * evidence that came before it.
 */
export function estimateGroupCredit(
  trajectories: readonly CreditedTrajectory[],
  normalization: GroupNormalization,
): TrajectoryCredit {
  const totals = trajectories.map((trajectory) => trajectory.total);
  const groups = trajectories.map((trajectory) => trajectory.group);
  const lossMask = trajectories.map((trajectory) => trajectory.lossMask);
  if (trajectories.some(({ evidence }) => evidence !== undefined)) {
    const { raw, normalized } = estimateTokenGroupAdvantages(
      { totals, groups, evidence: evidenceOf(trajectories), lossMask },
      normalization,
    );
    return { advantages: normalized, metrics: estimateAdvantageMetrics(raw, lossMask) };
  }
  const relative = (divisor: GroupNormalization) =>
    broadcastToTokens(estimateGroupAdvantages(totals, groups, divisor), lossMask);
  return {
    advantages: relative(normalization),
    metrics: estimateAdvantageMetrics(relative('none'), lossMask),
  };
}

/**
 * Gives every loss token the advantage of its trajectory without the evidence that came before it, for algorithms that
 * estimate one number per trajectory. Evidence is compared as totals are, so that what remains after it is the advantage of
 * the rest.
 *
 * @param estimate advantages of amounts, one per trajectory: total less baseline, in their units
 */
export function spreadCredit(
  trajectories: readonly CreditedTrajectory[],
  estimate: (amounts: readonly number[]) => ArrayLike<number>,
): TrajectoryCredit {
  const lossMask = trajectories.map((trajectory) => trajectory.lossMask);
  const advantages = estimate(trajectories.map(({ total }) => total));
  if (trajectories.every(({ evidence }) => evidence === undefined)) {
    const spread = broadcastToTokens(advantages, lossMask);
    return { advantages: spread, metrics: estimateAdvantageMetrics(spread, lossMask) };
  }
  const evidence = evidenceOf(trajectories);
  const earned = evidence.map(sumOf);
  const relative = estimate(earned);
  const expected = earned.map((amount, i) => amount - (relative[i] as number));
  const spread = takeOffEvidence(advantages, expected, { evidence, lossMask });
  return { advantages: spread, metrics: estimateAdvantageMetrics(spread, lossMask) };
}

/**
 * Whitens credit of tokens over the batch, and reports it as it was before. Where all trajectories have the same credit from
 * each turn on, as far as they get, it is 0: turns that differ by their place alone would be whitened to deviation 1.
 */
export function whitenCredit(
  trajectories: readonly CreditedTrajectory[],
  advantages: readonly Float64Array[],
): TrajectoryCredit {
  const lossMask = trajectories.map((trajectory) => trajectory.lossMask);
  return {
    advantages: whitenUnlessAlike(trajectories, advantages, (i) => advantages[i] as Float64Array),
    metrics: estimateAdvantageMetrics(advantages, lossMask),
  };
}

/** @param earnedBy by what trajectories are alike, see {@link earnAlike} */
function whitenUnlessAlike(
  trajectories: readonly CreditedTrajectory[],
  advantages: readonly Float64Array[],
  earnedBy: (index: number) => Float64Array,
): Float64Array[] {
  if (earnAlike(trajectories, earnedBy)) return advantages.map(({ length }) => new Float64Array(length));
  return whiten(
    advantages,
    trajectories.map(({ lossMask }) => lossMask),
  );
}

/** Evidence at loss tokens; zeros for a trajectory without any. */
const evidenceOf = (trajectories: readonly CreditedTrajectory[]): Float64Array[] =>
  trajectories.map(({ evidence, lossMask }) =>
    evidence === undefined
      ? new Float64Array(lossMask.length)
      : placeOnLossTokens(evidence, [], lossMask).rewards,
  );

function estimateOne(
  trajectory: CreditedTrajectory,
  values: Float64Array,
  options: CriticCreditOptions,
): TokenCredit {
  const { lossMask } = trajectory;
  const { gamma, lambda, turnGamma, wholeTurns = false } = options;
  const { rewards, turnEnds } = placeOnLossTokens(trajectory.rewards, trajectory.turnEnds, lossMask);
  if (turnGamma === undefined) return estimateTokenGae({ rewards, values, lossMask, gamma, lambda });
  if (wholeTurns) return estimateTurnGae({ rewards, values, lossMask, turnEnds, gamma: turnGamma, lambda });
  return estimateBiLevelGae({ rewards, values, lossMask, turnEnds, gamma, lambda, turnGamma });
}

function valuesOf(trajectory: CreditedTrajectory, index: number, options: EnsembleOptions): Float64Array {
  if (trajectory.criticValues !== undefined) return combineValues(trajectory.criticValues, options);
  if (trajectory.values !== undefined) return trajectory.values;
  throw new AppError(
    'contracts.invalid_value',
    `critic credit: trajectory ${index} has no values; set needs.critic of the algorithm to true`,
  );
}
