/** @file Requests about ratings; one schema each for GraphQL and REST. */
import { count, text } from '@espalier/protocol/bounds';
import { z } from 'zod';
import {
  type RatingCriterion,
  type RatingKind,
  ratingKinds,
  type RatingScale,
  ratingScales,
} from '../database/entities/rating.js';
import { pageQuery } from '../database/page.js';
import { flag, wholeNumber } from '../input/parse-input.js';
import { seedSchema, splitSchema } from './trajectory-sampler.service.js';

const line = (most: number) => text(most).trim();

export const ratingSourceRequest = z.strictObject({
  runId: text(100, { least: 1 }).describe('the run'),
  fromStep: count.default(0).describe('first step; default: 0'),
  toStep: count.optional().describe('last step; default: the newest'),
  split: splitSchema,
});
export type RatingSourceRequest = z.output<typeof ratingSourceRequest>;

export const criterionRequest = z.strictObject({
  name: z
    .string()
    .regex(/^[a-z][a-z0-9-]{0,39}$/, 'expected 1 to 40 lower-case letters, digits and dashes, a letter first')
    .describe('its name in results and exports'),
  question: line(500).min(1).describe('what raters are asked'),
  scale: z.enum(Object.keys(ratingScales) as [RatingScale]).describe('yes-no or one-to-five'),
  low: line(300).default('').describe('what the lowest value means'),
  high: line(300).default('').describe('what the highest value means'),
}) satisfies z.ZodType<RatingCriterion>;

export const pairings = {
  'same-state': 'both sides began in the same state',
  any: 'any two trajectories',
} as const;

export const ratingSetRequest = z.strictObject({
  kind: z.enum(Object.keys(ratingKinds) as [RatingKind]).describe('pairwise or rubric'),
  name: line(200).default('').describe('its name; default: what is rated'),
  instructions: text(5000, { isMultiline: true })
    .trim()
    .default('')
    .describe('what raters are asked; may be empty'),
  sources: z
    .array(ratingSourceRequest)
    .min(1, 'expected one source, or two')
    .max(2, 'expected one source, or two')
    .describe('where trajectories come from: two for pairs, one or two for a rubric'),
  size: z
    .int()
    .min(1, 'expected 1 to 500')
    .max(500, 'expected 1 to 500')
    .default(20)
    .describe('pairs, or trajectories of each source; default: 20'),
  seed: seedSchema,
  pairing: z
    .enum(Object.keys(pairings) as [keyof typeof pairings])
    .default('same-state')
    .describe('what makes a pair; default: same-state'),
  rubric: line(100).optional().describe('a rubric that comes with the server; default: reasoning-quality'),
  criteria: z
    .array(criterionRequest)
    .max(12, 'expected at most 12 criteria')
    .optional()
    .describe('criteria of your own, instead of `rubric`'),
});
export type RatingSetRequest = z.output<typeof ratingSetRequest>;

export const ratingSetConditions = z.strictObject({
  project: text(200).optional().describe('only of this project'),
  open: flag.optional().describe('`true`: only those that are not closed; `false`: only the others'),
});
export type RatingSetConditions = z.output<typeof ratingSetConditions>;
export const ratingSetsQuery = pageQuery.extend(ratingSetConditions.shape);

export const shownChoices = {
  left: 'the left one is better',
  right: 'the right one is better',
  tie: 'neither is better',
} as const;
export type ShownChoice = keyof typeof shownChoices;

export const ratingRequest = z.strictObject({
  choice: z
    .enum(Object.keys(shownChoices) as [ShownChoice])
    .optional()
    .describe('of a pair: which is better, by the sides as they were shown'),
  scores: z
    .array(
      z.strictObject({
        criterion: text(40).describe('its name'),
        value: count.describe('0 or 1, or 1 to 5'),
      }),
    )
    .max(12)
    .optional()
    .describe('of a rubric: a value for each criterion'),
  reason: text(5000, { isMultiline: true }).trim().default('').describe('why; may be empty'),
});
export type RatingRequest = z.output<typeof ratingRequest>;

export const positionParameter = z.strictObject({
  position: wholeNumber.pipe(count).describe('of the item in the set'),
});

export const exportFormats = {
  ratings: 'every rating, then the results',
  preferences: 'prompt, chosen and rejected, as preference tuners read them',
} as const;
export type ExportFormat = keyof typeof exportFormats;
export const exportQuery = z.strictObject({
  format: z
    .enum(Object.keys(exportFormats) as [ExportFormat])
    .default('ratings')
    .describe('ratings or preferences; default: ratings'),
});
