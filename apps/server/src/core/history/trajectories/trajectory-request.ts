import { stopReasons } from '@espalier/contracts';
import { type FailureLabel, failureLabels } from '@espalier/contracts/failure-labels';
import { type UpdateOutcome, updateOutcomes } from '@espalier/contracts/update-record';
import { text } from '@espalier/protocol/bounds';
import { z } from 'zod';
import { orderQuery, pageQuery } from '../../database/page.js';
import { anyNumber, flag, several, wholeNumber } from '../../input/parse-input.js';

/** What a list of trajectories can be ordered by. */
export const trajectoryOrderFields = {
  step: 'the step it was sampled for',
  reward: 'its reward; those without one are left out',
  stored: 'when the server stored it',
} as const;
export type TrajectoryOrderField = keyof typeof trajectoryOrderFields;

/** Selects trajectories; all conditions apply together. */
export const trajectoryFilter = z.strictObject({
  fromStep: wholeNumber
    .optional()
    .describe('first step; training begins with 1, validation of the start is 0'),
  toStep: wholeNumber.optional().describe('last step'),
  environment: text(200).optional().describe('played in this environment'),
  environmentTag: text(64).optional().describe('of this environment of a run in several, by its tag'),
  split: z.enum(['train', 'validation', 'test']).optional().describe('`train`, `validation` or `test`'),
  group: wholeNumber.optional().describe('of this group'),
  minReward: anyNumber.optional().describe('reward at least this'),
  maxReward: anyNumber.optional().describe('reward at most this'),
  success: flag.optional().describe('`true`: only successes, `false`: only the others'),
  stopReason: z
    .enum(Object.keys(stopReasons) as [keyof typeof stopReasons])
    .optional()
    .describe('why it ended'),
  label: z
    .enum(Object.keys(failureLabels) as [FailureLabel])
    .optional()
    .describe('has this failure label'),
  minTurns: wholeNumber.optional().describe('turns at least this'),
  maxTurns: wholeNumber.optional().describe('turns at most this'),
  minTokens: wholeNumber.optional().describe('tokens in all at least this'),
  maxTokens: wholeNumber.optional().describe('tokens in all at most this'),
  hasError: flag
    .optional()
    .describe('`true`: only those in which something failed, `false`: only the others'),
  stateSeed: anyNumber.optional().describe('sampled from the initial state of this seed'),
  kept: flag.optional().describe('entered the batch, or not'),
  outcome: z
    .enum(Object.keys(updateOutcomes) as [UpdateOutcome])
    .optional()
    .describe('what became of it in the update of its step'),
  dropReason: text(100).optional().describe('of a group that was dropped for this reason'),
  masked: flag
    .optional()
    .describe('`true`: the loss mask leaves out some of its sampled tokens, `false`: none'),
  clipped: flag
    .optional()
    .describe('`true`: some of its loss tokens were clipped at the last optimizer pass, `false`: none'),
  superseded: flag.optional().describe('`true`: also those whose step a later attempt repeated'),
  text: text(1000, { isMultiline: true })
    .optional()
    .describe(
      'words that all occur, in any order; "several words" in this order; a minus excludes; text without letters and digits is matched literally',
    ),
});
export type TrajectoryFilter = z.infer<typeof trajectoryFilter>;

const runs = {
  project: text(200).optional().describe('of runs of this project'),
  tag: text(200).optional().describe('of runs with this tag'),
};
const maxRuns = 100;

/** Selects trajectories of several runs. */
export const trajectorySearch = trajectoryFilter.extend({
  runIds: z.array(text(100)).max(maxRuns).optional().describe(`of these runs, at most ${maxRuns}`),
  ...runs,
});
export type TrajectorySearch = z.infer<typeof trajectorySearch>;

/** `GET /trajectories` */
export const searchQuery = trajectoryFilter.extend({
  runId: several(text(100), maxRuns)
    .optional()
    .describe(`of this run; may be given several times, at most ${maxRuns}`),
  ...runs,
  ...orderQuery(trajectoryOrderFields),
  ...pageQuery.shape,
});

export type SearchQuery = z.infer<typeof searchQuery>;

/** `GET /runs/:id/trajectories` */
export const trajectoriesQuery = trajectoryFilter.extend({
  ...orderQuery(trajectoryOrderFields),
  ...pageQuery.shape,
});
