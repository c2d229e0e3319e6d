/**
 * @file Options that several algorithms share, with one description and one default each, and what follows from them:
 * which need a reference, which have no effect, which groups can be compared.
 */
import { type GroupNormalization, klEstimators } from '@espalier/objective';
import { z } from 'zod';
import type { AlgorithmContext, GroupScores, Selection } from './define-algorithm.js';

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
});

/** `needs` of algorithms without a critic. */
export const needsReference = ({ klCoefficient = 0 }: { readonly klCoefficient?: number }) => ({
  critic: false,
  reference: klCoefficient > 0,
});

/** Names those of the shared options that have no effect: without a penalty, and with one optimizer step per rollout. */
export function findInert(params: object, { optimizerStepsPerStep }: AlgorithmContext): string[] {
  const given = new Map<string, unknown>(Object.entries(params));
  const clips = ['clipLow', 'clipHigh', 'dualClip'].filter((name) => given.has(name));
  const coefficient = given.get('klCoefficient');
  return [
    ...(given.has('klEstimator') && !(Number(coefficient) > 0) ? ['klEstimator'] : []),
    ...(optimizerStepsPerStep > 1 ? [] : clips),
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
