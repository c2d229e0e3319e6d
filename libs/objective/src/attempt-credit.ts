/**
 * @file From finished attempts to what a loss reads, in the two usual ways: with a critic, or by comparing attempts at
 * the same state. Puts together advantage/; the formulas are there.
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
import { whiten } from './advantage/whiten.js';
import { estimateAdvantageMetrics, estimateCriticMetrics } from './credit-metrics.js';

/** One finished attempt; arrays cover every token position. */
export interface CreditedTrajectory {
  readonly group: number;
  /** raw total of the score record */
  readonly total: number;
  /** reward placed at each turn's last sampled token, 0 elsewhere; sums to `total` */
  readonly rewards: Float64Array; // [T]
  /** 1 where the token counts in the loss */
  readonly lossMask: Uint8Array; // [T]
  /** value before each loss token, 0 elsewhere; needed with a critic */
  readonly values?: Float64Array; // [T]
  /** index of the last sampled token of each turn, ascending */
  readonly turnEnds: readonly number[];
}

export interface AttemptCredit {
  /** what the loss reads, normalised */
  readonly advantages: Float64Array[]; // each [T]
  /** by full metric name */
  readonly metrics: Record<string, number>;
}

export interface CriticCreditOptions {
  /** discount per loss token, in [0, 1] */
  readonly gamma: number;
  /** in [0, 1] */
  readonly lambda: number;
  /** discount per turn, in [0, 1]: credit in two levels; absent: tokens only */
  readonly turnGamma?: number | undefined;
}

/**
 * Estimates credit with a critic: generalised advantage estimation over loss tokens, whitened over the batch.
 *
 * @returns advantages whitened; returns not
 * @throws contracts.invalid_value when an attempt has no values
 */
export function estimateCriticCredit(
  attempts: readonly CreditedTrajectory[],
  options: CriticCreditOptions,
): AttemptCredit & { readonly returns: Float64Array[] } {
  const values = attempts.map(requireValues);
  const lossMask = attempts.map((attempt) => attempt.lossMask);
  const credit = attempts.map((attempt, i) => estimateOne(attempt, values[i] as Float64Array, options));
  const advantages = credit.map((one) => one.advantages);
  const returns = credit.map((one) => one.returns);
  const metrics = {
    ...estimateAdvantageMetrics(advantages, lossMask),
    ...estimateCriticMetrics(values, returns, lossMask),
  };
  return { advantages: whiten(advantages, lossMask), returns, metrics };
}

/** Estimates credit without a critic: every loss token gets its attempt's total relative to the group. */
export function estimateGroupCredit(
  attempts: readonly CreditedTrajectory[],
  normalization: GroupNormalization,
): AttemptCredit {
  const totals = attempts.map((attempt) => attempt.total);
  const groups = attempts.map((attempt) => attempt.group);
  const lossMask = attempts.map((attempt) => attempt.lossMask);
  const relative = (divisor: GroupNormalization) =>
    broadcastToTokens(estimateGroupAdvantages(totals, groups, divisor), lossMask);
  return {
    advantages: relative(normalization),
    metrics: estimateAdvantageMetrics(relative('none'), lossMask),
  };
}

function estimateOne(
  attempt: CreditedTrajectory,
  values: Float64Array,
  options: CriticCreditOptions,
): TokenCredit {
  const { lossMask } = attempt;
  const { gamma, lambda, turnGamma } = options;
  const { rewards, turnEnds } = placeOnLossTokens(attempt.rewards, attempt.turnEnds, lossMask);
  if (turnGamma === undefined) return estimateTokenGae({ rewards, values, lossMask, gamma, lambda });
  return estimateBiLevelGae({ rewards, values, lossMask, turnEnds, gamma, lambda, turnGamma });
}

function requireValues(attempt: CreditedTrajectory, index: number): Float64Array {
  if (attempt.values !== undefined) return attempt.values;
  throw new AppError(
    'contracts.invalid_value',
    `critic credit: attempt ${index} has no values; an algorithm that uses them must state needs.critic`,
  );
}
