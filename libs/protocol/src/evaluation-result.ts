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

export const evaluationResult = z.object({
  model: text(1000).describe('the checkpoint, a folder among the artifacts'),
  environment: text(200).describe('environment it was played in'),
  episodes: count.describe('episodes that completed'),
  failed: count.describe('episodes that failed or timed out; no rate includes them'),
  successRate: share.describe('share of episodes with success'),
  successLow: share.describe('lower end of its 95 % interval'),
  successHigh: share.describe('upper end of its 95 % interval'),
  metrics: z.record(metricName, z.number().nullable()).describe('metrics by name, under `validation/`'),
  tags: list(tagEvaluation, maxTags).optional().describe('each environment of a run of several'),
  outcomes: list(episodeOutcome, maxOutcomes)
    .optional()
    .describe(`the outcome of each episode; null: there are more than ${maxOutcomes}`),
  trajectory: text(200).optional().describe('the trajectory that was continued, instead of initial states'),
  continued: list(continuedTurn, maxContinuedTurns)
    .optional()
    .describe('the turns that it was continued from; the rates of the whole are over all of them'),
});
export type EvaluationResult = z.output<typeof evaluationResult>;
