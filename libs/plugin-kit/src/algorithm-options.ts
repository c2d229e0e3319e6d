/**
 * @file Options that several algorithms share, with one description and one default each, and what follows from them:
 * which need a reference, which have no effect, which groups can be compared.
 */
import {
  type GroupNormalization,
  klEstimators,
  nextEntropyCoefficient,
  nextKlCoefficient,
} from '@espalier/objective';
import { z } from 'zod';
import type { AlgorithmContext, AlgorithmMemory, GroupScores, Selection } from './define-algorithm.js';
import { startKlReward } from './kl-reward.js';
import { klRewardEstimators } from './penalize-rewards.js';

export { payForDivergence } from './kl-reward.js';

/** The divisor of differences from the mean of a group. */
export const normalization = (divisor: GroupNormalization) => ({
  normalization: z
    .enum(['batch', 'group', 'none', 'mean'])
    .default(divisor)
    .describe(
      'what differences from the group mean are divided by: the deviation in the batch, in the group, 1 (Dr. GRPO), or the mean (MaxRL, for rewards that are never negative)',
    ),
});

/** The bounds of a probability ratio. */
export const clipBounds = (low = 0.2, high = 0.2) => ({
  clipLow: z.number().gt(0).lt(1).default(low).describe('how far a probability ratio may fall below 1'),
  clipHigh: z.number().gt(0).default(high).describe('how far a probability ratio may rise above 1'),
});

/** The bound on the loss of bad tokens. */
export const dualClip = (bound = 3) => ({
  dualClip: z
    .number()
    .refine((value) => value === 0 || value > 1, 'expected 0 (off) or more than 1')
    .default(bound)
    .describe('bounds the loss of a bad token at this times its |advantage|; more than 1, or 0 = off'),
});

/** The entropy bonus. */
export const entropyBonus = (coefficient = 0) => ({
  entropyCoefficient: z
    .number()
    .min(0)
    .default(coefficient)
    .describe('weight of the entropy bonus; higher keeps the policy undecided'),
  entropyTarget: z
    .number()
    .gt(0)
    .optional()
    .describe(
      'entropy per token, in nats, that the bonus holds: after each step its weight rises by entropyStep while the entropy is below, and falls while it is above, from entropyCoefficient on, within 0 and 1; absent: the weight is fixed',
    ),
  entropyStep: z
    .number()
    .gt(0)
    .max(1)
    .optional()
    .describe('with entropyTarget: how far the weight of the bonus moves in a step; default: 0.005'),
});

/** The penalty for leaving the starting policy. */
export const klPenalty = () => ({
  klCoefficient: z
    .number()
    .min(0)
    .default(0)
    .describe('weight of the divergence from the starting policy; above 0 a reference copy is kept'),
  klEstimator: z
    .enum(klEstimators)
    .default('k3-straight-through')
    .describe('how the divergence is estimated at sampled tokens'),
  klTarget: z
    .number()
    .gt(0)
    .optional()
    .describe(
      'divergence per token, in nats, that a penalty holds: after each step its weight grows while the divergence is above, and shrinks while it is below, from its coefficient on; absent: the weight is fixed',
    ),
  klRate: z
    .number()
    .gt(0)
    .max(1)
    .optional()
    .describe(
      'with klTarget: how fast the weight follows; in a step it moves by at most a fifth of this share; default: 0.1',
    ),
});

/** The same penalty, in the rewards of tokens instead of the loss: `payForDivergence` takes it off. */
export const klReward = () => ({
  klRewardCoefficient: z
    .number()
    .min(0)
    .optional()
    .describe(
      'weight of the divergence from the starting policy, taken off the reward of each token; above 0 a reference copy is kept; default: 0',
    ),
  klRewardEstimator: z
    .enum(klRewardEstimators)
    .optional()
    .describe(
      'with klRewardCoefficient: how the divergence is estimated at sampled tokens; default: k1, whose expectation has the gradient of the divergence',
    ),
});

/** Several critics in place of one; `needsCritics` asks for them, `objective.estimateCriticCredit` combines what they say. */
export const criticEnsemble = () => ({
  critics: z
    .int()
    .min(1)
    .max(8)
    .optional()
    .describe(
      'how many critics are trained, each with a start and an order of mini-batches of its own; every one costs what one costs; default: 1',
    ),
  criticCombination: z
    .enum(['mean', 'minimum'])
    .optional()
    .describe(
      'with several critics: what credit takes for the value of a token, the mean of theirs or the least; default: mean',
    ),
  criticPessimism: z
    .number()
    .min(0)
    .optional()
    .describe(
      'with the mean of several critics: so many deviations between them are taken off it; default: 0',
    ),
});

interface AdaptiveParams {
  readonly entropyCoefficient?: number;
  readonly entropyTarget?: number | undefined;
  readonly entropyStep?: number | undefined;
  readonly klCoefficient?: number;
  readonly klTarget?: number | undefined;
  readonly klRate?: number | undefined;
  readonly klRewardCoefficient?: number | undefined;
}

/** Weights that follow a target: what is kept between iterations. Spread it into the definition of an algorithm. */
export const adaptive = {
  startMemory: (params: AdaptiveParams, tags: readonly string[] = []) => {
    const { entropyCoefficient = 0, entropyTarget, klCoefficient = 0, klTarget } = params;
    return {
      ...(entropyTarget === undefined ? {} : { entropyCoefficient }),
      ...(klTarget === undefined || klCoefficient === 0 ? {} : { klCoefficient }),
      ...startKlReward(params, tags),
    };
  },
  nextMemory: (
    memory: AlgorithmMemory,
    metrics: Readonly<Record<string, number>>,
    { entropyTarget = 1, entropyStep = 0.005, klTarget = 1, klRate = 0.1 }: AdaptiveParams,
  ): AlgorithmMemory => {
    const { entropyCoefficient, klCoefficient } = memory;
    const { 'policy/entropy': entropy = NaN, 'policy/kl_reference': kl = NaN } = metrics;
    const ofEntropy = { target: entropyTarget, step: entropyStep };
    const ofKl = { target: klTarget, rate: klRate };
    return {
      ...memory,
      ...(entropyCoefficient === undefined
        ? {}
        : { entropyCoefficient: nextEntropyCoefficient(entropyCoefficient, entropy, ofEntropy) }),
      ...(klCoefficient === undefined ? {} : { klCoefficient: nextKlCoefficient(klCoefficient, kl, ofKl) }),
    };
  },
};

interface PenaltyParams {
  readonly klCoefficient?: number;
  readonly klRewardCoefficient?: number | undefined;
}

/** `needs` of algorithms without a critic. */
export const needsReference = ({ klCoefficient = 0, klRewardCoefficient = 0 }: PenaltyParams) => ({
  critic: false,
  reference: klCoefficient > 0 || klRewardCoefficient > 0,
});

/** `needs` of algorithms that have critics, as many as `critics` says; or, with another estimator, none. */
export const needsCritics = (
  params: PenaltyParams & { readonly critics?: number | undefined },
  critic = true,
) => ({
  ...needsReference(params),
  critic,
  ...(critic && params.critics !== undefined ? { critics: params.critics } : {}),
});

/**
 * Names those of the shared options that have no effect: without a penalty, with one optimizer step per rollout, without
 * several critics.
 */
export function findInert(
  params: object,
  { optimizerStepsPerStep }: AlgorithmContext,
  hasCritic = true,
): string[] {
  const given = new Map<string, unknown>(Object.entries(params));
  const clips = ['clipLow', 'clipHigh', 'dualClip'].filter((name) => given.has(name));
  const inLoss = Number(given.get('klCoefficient')) > 0;
  const inReward = Number(given.get('klRewardCoefficient')) > 0;
  const hasPenalty = inLoss || inReward;
  const isEnsemble = hasCritic && Number(given.get('critics') ?? 1) > 1;
  const named = (...names: string[]): string[] => names.filter((name) => given.get(name) !== undefined);
  return [
    ...(inLoss ? [] : named('klEstimator')),
    ...(inReward ? [] : named('klRewardEstimator')),
    ...(hasPenalty ? [] : named('klTarget')),
    ...(hasPenalty && given.get('klTarget') !== undefined ? [] : named('klRate')),
    ...(given.get('entropyTarget') === undefined ? named('entropyStep') : []),
    ...(optimizerStepsPerStep > 1 ? [] : clips),
    ...(hasCritic ? [] : named('critics')),
    ...(isEnsemble ? [] : named('criticCombination')),
    ...(isEnsemble && given.get('criticCombination') !== 'minimum' ? [] : named('criticPessimism')),
  ];
}

/** Keeps the groups that have two trajectories or more; one alone has nothing to be compared with. */
export function keepComparable(groups: readonly GroupScores[]): Selection {
  const isComparable = ({ totals }: GroupScores) => totals.length > 1;
  return {
    kept: groups.flatMap((group, index) => (isComparable(group) ? [index] : [])),
    reasons: groups.map((group) => (isComparable(group) ? 'kept' : 'one-trajectory')),
  };
}
