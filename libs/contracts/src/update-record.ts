/**
 * @file What the update of a step did to a trajectory and to each of its tokens. Columns hold the n loss tokens only, so
 * that a token which was not trained has no value instead of 0.
 */
import { z } from 'zod';

/** What became of a trajectory in the update of its step. */
export const updateOutcomes = {
  trained: 'its loss tokens entered the policy update',
  dropped: 'its group was dropped before the update',
  failed: 'the environment, a reward or the engine failed during the episode',
  'no-loss-tokens': 'its group was kept, but the loss mask covers none of its tokens',
  'no-signal': 'its group was kept, but no trajectory had an advantage, so the policy was not updated',
  'critic-only': 'its group was kept, but only the critic learned (`update.criticWarmup`)',
  'greedy-baseline': 'sampled greedily as what its group is compared with; never trained on',
} as const;
export type UpdateOutcome = keyof typeof updateOutcomes;

/** Where a loss stopped, bounded or held back the gradient of a token. */
export const clipSides = {
  low: 'the ratio is below the lower bound',
  high: 'the ratio is above the upper bound',
  dual: 'the ratio of a negative advantage is above the bound of dual clip',
  held: 'the token is held back for its covariance',
} as const;
export type ClipSide = keyof typeof clipSides;

/** The part of each loss token in the update; every column has its n loss tokens in order. */
export interface TokenUpdates {
  /** of the loss tokens: start and end of each range, flat */
  readonly ranges: Int32Array;
  /** as the loss read them, weights of groups included */
  readonly advantages: Float32Array; // [n]
  /** absent: the algorithm has none */
  readonly returns?: Float32Array; // [n]
  /** nats; absent: no reference policy */
  readonly referenceLogprobs?: Float32Array; // [n]
  /** weights of the correction between sampler and trainer; absent: there is none */
  readonly samplerWeights?: Float32Array; // [n]
  /** under the trainer at the first pass over the trajectory, or before it where the sampler is corrected, nats; absent: not trained, or the engine gives none */
  readonly trainerLogprobs?: Float32Array; // [n]
  /** optimizer steps of this iteration before the first pass; 0: the weights that sampled */
  readonly firstPassSteps?: number;
  /** optimizer steps of this iteration before the last pass, which ratio, loss, gradient and clipping are of */
  readonly lastPassSteps?: number;
  /** probability under the trainer / old probability, as the loss computes it; absent: not trained, or a loss without */
  readonly ratios?: Float32Array; // [n]
  /** loss of the token before its weight; absent: as `trainerLogprobs` */
  readonly losses?: Float32Array; // [n]
  /** −∂(weighted loss)/∂(log-probability): above 0 makes the token more likely; absent: as `trainerLogprobs` */
  readonly gradientWeights?: Float32Array; // [n]
  /** indices into the n loss tokens by side; absent: none. Without `losses` nothing is known */
  readonly clipped?: { readonly [Side in ClipSide]?: Int32Array };
}

export interface UpdateRecord {
  readonly outcome: UpdateOutcome;
  /** sampled tokens that the loss mask covers, whatever became of them */
  readonly lossTokens: number;
  /** loss tokens that were clipped at the last pass, on any side; absent: not trained, or the engine gives no scores */
  readonly clippedTokens?: number;
  /** of the update of its step, in 0..1; absent: as `clippedTokens` */
  readonly share?: number;
  /** of the policy that the update began with, as `Turn.policyVersion`; absent: stored by an older version */
  readonly policyVersion?: number;
  /** absent: no credit was assigned, or beyond `update.tokenRecords` */
  readonly tokens?: TokenUpdates;
}

/** How many trajectories of a step keep the values of their tokens. */
export const tokenRecords = z
  .int()
  .min(0)
  .default(1024)
  .describe(
    'trajectories of a step whose tokens are stored with their advantage, ratio, clipping and part in the update, the largest parts first; 0 = none; changes nothing of the training',
  );
