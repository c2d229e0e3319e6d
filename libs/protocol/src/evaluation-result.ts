/** @file The result of an evaluation, as `espalier eval --json` prints it. */
import { stopReasons } from '@espalier/contracts';
import { z } from 'zod';
import { count, list, metricName, text } from './bounds.js';

/** Above this, a result has no episodes: they take about 130 bytes each, and every reader of the job gets all of them. */
export const maxOutcomes = 1000;

const share = z.number().min(0).max(1);

/** The outcome of one episode. */
const episodeOutcome = z.object({
  stateSeed: z.int().describe('seed of the initial state; equal seeds are the same state'),
  success: z.boolean().describe('the environment reports success'),
  total: z.number().nullable().describe('total score; null: not finite'),
  stopReason: z.enum(Object.keys(stopReasons) as [keyof typeof stopReasons]).describe('why it ended'),
  turns: count.describe('turns played'),
  actions: count.describe('actions that reached the environment'),
  formatShare: share.describe('share of turns with a valid format'),
});

export const evaluationResult = z.object({
  model: text(1000).describe('the checkpoint, a folder among the artifacts'),
  environment: text(200).describe('environment it was played in'),
  episodes: count.describe('episodes that completed'),
  failed: count.describe('episodes that failed or timed out; no rate includes them'),
  successRate: share.describe('share of episodes with success'),
  successLow: share.describe('lower end of its 95 % interval'),
  successHigh: share.describe('upper end of its 95 % interval'),
  metrics: z.record(metricName, z.number().nullable()).describe('metrics by name, under `validation/`'),
  outcomes: list(episodeOutcome, maxOutcomes)
    .optional()
    .describe(`the outcome of each episode; null: there are more than ${maxOutcomes}`),
});
export type EvaluationResult = z.output<typeof evaluationResult>;
