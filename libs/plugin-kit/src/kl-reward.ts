/**
 * @file The penalty for leaving the starting policy as part of the reward, with a weight that is fixed or follows `klTarget`.
 * What it costs is known when credit is assigned, so the weight moves there; each environment has its own.
 */
import { nextKlCoefficient } from '@espalier/objective';
import type { AlgorithmMemory, Credit, CreditTrajectory } from './define-algorithm.js';
import {
  KL_REWARD,
  type KlRewardEstimator,
  type PenalizedTrajectory,
  penalizeRewards,
} from './penalize-rewards.js';

interface KlRewardParams {
  readonly klRewardCoefficient?: number | undefined;
  readonly klRewardEstimator?: KlRewardEstimator | undefined;
  readonly klTarget?: number | undefined;
  readonly klRate?: number | undefined;
}

/** The name in the memory of the weight for an environment. */
const weightOf = (tag: string): string => (tag === '' ? 'klRewardCoefficient' : `klRewardCoefficient/${tag}`);

/** The weights before anything is measured; none that follows nothing. */
export const startKlReward = (
  { klRewardCoefficient = 0, klTarget }: KlRewardParams,
  tags: readonly string[],
): AlgorithmMemory =>
  klTarget === undefined || klRewardCoefficient === 0
    ? {}
    : Object.fromEntries(tags.map((tag) => [weightOf(tag), klRewardCoefficient]));

/**
 * Assigns credit for rewards less the weighted divergence of each token from the starting policy. Without a coefficient it
 * is the credit of the rewards.
 *
 * @param estimate credit of the trajectories that it is given
 */
export function payForDivergence(
  trajectories: readonly CreditTrajectory[],
  params: KlRewardParams,
  memory: AlgorithmMemory | undefined,
  estimate: (trajectories: readonly CreditTrajectory[]) => Credit,
): Credit {
  const { klRewardCoefficient = 0, klRewardEstimator: estimator = 'k1', klTarget, klRate = 0.1 } = params;
  if (klRewardCoefficient === 0) return estimate(trajectories);
  const measured = new Map<string, Measured>();
  const penalized = trajectories.map((one) => {
    const { tag = '' } = one;
    const weight = memory?.[weightOf(tag)] ?? klRewardCoefficient;
    const { trajectory, ...own } = penalizeRewards(one, { weight, estimator });
    measured.set(tag, add(measured.get(tag) ?? nothing, own));
    return trajectory;
  });
  const credit = estimate(penalized);
  const next = [...measured].flatMap(([tag, own]): [string, number][] => {
    const before = memory?.[weightOf(tag)];
    if (before === undefined || klTarget === undefined) return [];
    return [[weightOf(tag), nextKlCoefficient(before, meanOf(own), { target: klTarget, rate: klRate })]];
  });
  const whole = [...measured.values()].reduce(add, nothing);
  return {
    ...credit,
    metrics: { ...credit.metrics, [KL_REWARD.name]: meanOf(whole) },
    ...(next.length === 0 ? {} : { memory: { ...credit.memory, ...Object.fromEntries(next) } }),
  };
}

/** Estimates summed over loss tokens, nats. */
type Measured = Omit<PenalizedTrajectory, 'trajectory'>;

const nothing: Measured = { kl: 0, tokens: 0 };
const add = (a: Measured, b: Measured): Measured => ({ kl: a.kl + b.kl, tokens: a.tokens + b.tokens });
const meanOf = ({ kl, tokens }: Measured): number => (tokens === 0 ? 0 : kl / tokens);
