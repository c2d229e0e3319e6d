/** @file The result of an evaluation, as `espalier eval --json` prints it. */
import { stopReasons } from '@espalier/contracts';
import { maxTags } from '@espalier/contracts/mixing';
import { z } from 'zod';
import { count, list, metricName, text } from './bounds.js';

/** Above this, a result has no episodes: they take about 130 bytes each, and every reader of the job gets all of them. */
export const maxOutcomes = 1000;

const share = z.number().min(0).max(1);

/** The outcome of one episode. */
const episodeOutcome = z.object({
  tag: text(64).optional().describe('its environment in a run of several'),
  stateSeed: z.int().describe('seed of the initial state; equal seeds are the same state'),
  success: z.boolean().describe('the environment reports success'),
  total: z.number().nullable().describe('total score; null: not finite'),
  stopReason: z.enum(Object.keys(stopReasons) as [keyof typeof stopReasons]).describe('why it ended'),
  turns: count.describe('turns played'),
  actions: count.describe('actions that reached the environment'),
  formatShare: share.describe('share of turns with a valid format'),
});

/** The success in one environment of a run of several. */
export const tagEvaluation = z.object({
  tag: text(64).describe('the tag'),
  environment: text(200).describe('its environment'),
  trained: z.boolean().describe('the run learns from it; the rates of the whole are over these'),
  level: count.optional().describe('it is an earlier level of a curriculum, this one from 1'),
  episodes: count.describe('episodes that completed'),
  failed: count.describe('episodes that failed or timed out'),
  successRate: share.nullable().describe('share of episodes with success; null: none completed'),
  successLow: share.nullable().describe('lower end of its 95 % interval'),
  successHigh: share.nullable().describe('upper end of its 95 % interval'),
  error: text(20_000).optional().describe('why nothing was measured'),
});

/** Most turns of a trajectory that an evaluation continues from. */
export const maxContinuedTurns = 200;

/** What came of the continuations of a trajectory from one of its turns. */
export const continuedTurn = z.object({
  turn: count.describe('turn that was continued from, from 0'),
  episodes: count.describe('continuations that completed'),
  failed: count.describe('continuations that failed or timed out; no rate includes them'),
  successRate: share.nullable().describe('share of them with success; null: none completed'),
  successLow: share.nullable().describe('lower end of its 95 % interval'),
  successHigh: share.nullable().describe('upper end of its 95 % interval'),
  rewardMean: z
    .number()
    .nullable()
    .describe('mean total of the whole trajectory, what was earned before the turn included'),
  outcomes: list(episodeOutcome, maxOutcomes)
    .optional()
    .describe(`the outcome of each; null: there are more than ${maxOutcomes} in all`),
});
export type ContinuedTurn = z.output<typeof continuedTurn>;

/**
 * Most steps whose stored trajectories an evaluation scores again, of them by a checkpoint, whose result has a row for
 * each, rewards that it scores them by, and tokens of a single one.
 */
export const maxRescored = { steps: 2000, tokenSteps: 200, rewards: 16, tokens: 20_000 } as const;

/** Totals of stored trajectories under other rewards, beside those they were trained with. */
const rescoredRewards = z.object({
  meanStored: z.number().nullable().describe('mean total as stored; null: not finite'),
  meanRescored: z.number().nullable().describe('mean total under the other rewards; null: not finite'),
  correlation: z
    .number()
    .nullable()
    .describe('Pearson’s correlation of the totals; null: one of them does not vary'),
  reversed: share
    .nullable()
    .describe(
      'of the pairs within groups that were told apart, the share that is now told apart the other way; null: there were none',
    ),
  differingStored: share.describe('share of groups of two or more whose members differ, as stored'),
  differingRescored: share.describe(
    'share of groups of two or more whose members differ under the other rewards',
  ),
});

/** What a checkpoint thinks of the tokens that were sampled in a step. */
const rescoredTokens = z.object({
  step: count.describe('the step'),
  tokens: count.describe('sampled tokens'),
  logprobStored: z.number().nullable().describe('mean log-probability at sampling, nats'),
  logprobModel: z.number().nullable().describe('mean log-probability under the checkpoint, nats'),
  entropyStored: z.number().nullable().describe('mean entropy at sampling, nats'),
  entropyModel: z.number().nullable().describe('mean entropy under the checkpoint, nats'),
  kl: z
    .number()
    .nullable()
    .describe('KL divergence of the sampler from the checkpoint, nats per token (k3 of Schulman 2020)'),
});

/** What a checkpoint thinks of each sampled token of a single trajectory. */
const rescoredTrajectory = z.object({
  positions: list(count, maxRescored.tokens).describe('where they are in the trajectory, ascending'),
  logprobs: list(z.number().nullable(), maxRescored.tokens).describe(
    'log-probability of each under the checkpoint, nats',
  ),
  entropies: list(z.number().nullable(), maxRescored.tokens).describe(
    'entropy at each under the checkpoint, nats',
  ),
});

/** A stored trajectory under other rewards. */
const rescoredTotal = z.object({
  trajectory: text(200).describe('its id'),
  stored: z.number().nullable().describe('total as stored; null: not finite'),
  rescored: z.number().nullable().describe('total under the other rewards; null: not finite'),
});

export const evaluationResult = z.object({
  model: text(1000).describe('the checkpoint, a folder among the artifacts'),
  environment: text(200).describe('environment it was played in'),
  episodes: count.describe('episodes that completed, or stored trajectories that were scored again'),
  failed: count.describe('episodes that failed or timed out; no rate includes them'),
  successRate: share.describe('share of episodes with success'),
  successLow: share.describe('lower end of its 95 % interval'),
  successHigh: share.describe('upper end of its 95 % interval'),
  metrics: z
    .record(metricName, z.number().nullable())
    .describe('metrics by name, under `validation/`; of trajectories that were scored again under `reward/`'),
  tags: list(tagEvaluation, maxTags).optional().describe('each environment of a run of several'),
  outcomes: list(episodeOutcome, maxOutcomes)
    .optional()
    .describe(`the outcome of each episode; null: there are more than ${maxOutcomes}`),
  trajectory: text(200).optional().describe('the trajectory that was continued, instead of initial states'),
  continued: list(continuedTurn, maxContinuedTurns)
    .optional()
    .describe('the turns that it was continued from; the rates of the whole are over all of them'),
  rescoredRewards: rescoredRewards
    .optional()
    .describe('what other rewards make of stored trajectories; null: that was not asked'),
  rescoredTotals: list(rescoredTotal, maxOutcomes)
    .optional()
    .describe(`the totals of each; null: there are more than ${maxOutcomes}, or that was not asked`),
  rescoredTokens: list(rescoredTokens, maxRescored.tokenSteps)
    .optional()
    .describe('what the checkpoint thinks of the tokens of each step; null: that was not asked'),
  rescoredTrajectory: rescoredTrajectory
    .optional()
    .describe('what the checkpoint thinks of each token of the one trajectory; null: none was named'),
});
export type EvaluationResult = z.output<typeof evaluationResult>;
