import { stopReasons } from '@espalier/contracts';
import { text } from '@espalier/protocol/bounds';
import { z } from 'zod';
import { pageQuery } from '../../database/page.js';
import { anyNumber, flag, wholeNumber } from '../../input/parse-input.js';

/** Orders of a list of trajectories. */
export const trajectorySorts = {
  step: 'earliest step first',
  newest: 'latest step first',
  best: 'highest reward first; those without a reward left out',
  worst: 'lowest reward first; those without a reward left out',
} as const;
export type TrajectorySort = keyof typeof trajectorySorts;

/** Which trajectories; all conditions hold at once. */
export const trajectoryFilter = z.strictObject({
  fromStep: wholeNumber.optional().describe('first step, from 0'),
  toStep: wholeNumber.optional().describe('last step'),
  environment: text(200).optional().describe('played in this environment'),
  split: z.enum(['train', 'validation', 'test']).optional().describe('`train`, `validation` or `test`'),
  group: wholeNumber.optional().describe('of this group'),
  minReward: anyNumber.optional().describe('reward at least this'),
  maxReward: anyNumber.optional().describe('reward at most this'),
  success: flag.optional().describe('`true`: only successes, `false`: only the others'),
  stopReason: z
    .enum(Object.keys(stopReasons) as [keyof typeof stopReasons])
    .optional()
    .describe('why it ended'),
  kept: flag.optional().describe('entered the batch, or not'),
  superseded: flag.optional().describe('`true`: also those whose step a later attempt did again'),
  text: text(1000, { isMultiline: true })
    .optional()
    .describe(
      'words that all occur, in any order; "several words" in this order; a minus excludes; text without letters and digits is looked for as it is',
    ),
});
export type TrajectoryFilter = z.infer<typeof trajectoryFilter>;

/** `GET /runs/:id/trajectories` */
export const trajectoriesQuery = trajectoryFilter.extend({
  sort: z
    .enum(Object.keys(trajectorySorts) as [TrajectorySort])
    .default('step')
    .describe(
      Object.entries(trajectorySorts)
        .map(([name, text]) => `${name}: ${text}`)
        .join('; '),
    ),
  ...pageQuery.shape,
});
