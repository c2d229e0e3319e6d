/**
 * @file Options of a run in several environments: each has a tag, its share of the groups, and what holds for it alone.
 */
import { z } from 'zod';
import { curriculum, horizon } from './curriculum-options.js';
import { chosen, inTokens, isolatable, rewardList } from './run-options.js';

/** Most environments of a run, validated ones included; each has about a hundred metrics. */
export const maxTags = 12;

/** JavaScript moves keys that are whole numbers to the front, so a tag begins with a letter. */
const tagPattern = /^[A-Za-z][A-Za-z0-9_-]{0,39}$/;
export const tagForm = 'a letter, then at most 39 letters, digits, `-` or `_`';
const tag = z.string().regex(tagPattern);

const limit = z.int().min(1).optional();
const budgets = {
  maxTurns: limit.describe(
    'maximum turns per episode; default: rollout.maxTurns, else set by the environment',
  ),
  maxActions: limit.describe(
    'maximum actions per episode; default: rollout.maxActions, else set by the environment',
  ),
  maxActionsPerTurn: limit.describe(
    'maximum actions taken from one answer; default: rollout.maxActionsPerTurn, else set by the environment',
  ),
  maxResponseTokens: limit
    .meta(inTokens)
    .describe('maximum tokens sampled per turn; default: rollout.maxResponseTokens'),
};

const trainedEnvironment = z.strictObject({
  environment: isolatable.describe('the environment of this tag'),
  curriculum: curriculum.optional().describe('levels of this tag, from easy to hard'),
  groups: z
    .int()
    .min(1)
    .optional()
    .describe('groups per step; all tags together have rollout.promptsPerStep, or determine it'),
  weight: z
    .number()
    .gt(0)
    .max(1e6)
    .optional()
    .describe(
      'share of the groups relative to the other tags, rounded to whole groups by largest remainders; default: 1 where no tag has groups',
    ),
  ...budgets,
  horizon: horizon.optional().describe('how the budget of this tag grows; default: rollout.horizon'),
  rewards: rewardList.optional().describe('rewards of this tag; default: `rewards` of the run'),
  algorithm: chosen
    .optional()
    .describe(
      'the algorithm of this tag: it chooses groups, assigns credit and has a loss of its own, whose gradient is added to that of the others; default: that of the run',
    ),
  select: z
    .record(z.string().min(1), z.unknown())
    .optional()
    .describe(
      'options of the algorithm for choosing groups of this tag, e.g. { keepRatio: 0.5 }, and `filter` with options of the run’s filter that differ, e.g. { filter: { value: 0.5 } }; default: those of `algorithm` and `filter`',
    ),
});

/** Tag → one environment that the run trains in; the order is that of the file. */
export const trainedEnvironments = z
  .record(tag, trainedEnvironment)
  .refine((all) => Object.keys(all).length >= 1, 'expected at least one tag');

export const mixing = z.strictObject({
  compare: z
    .enum(['per-tag', 'together'])
    .default('per-tag')
    .describe(
      'per-tag: the algorithm selects groups and normalizes advantages within each tag; together: over all of them, as RAGEN does, where the environment with the largest rewards dominates',
    ),
});

const validatedEnvironment = z.strictObject({
  environment: isolatable
    .optional()
    .describe('the environment of a tag that is not trained; absent: the trained environment of this tag'),
  episodes: z
    .int()
    .min(1)
    .optional()
    .describe('fixed initial states, one trajectory each; default: validation.episodes'),
  ...budgets,
  rewards: rewardList
    .optional()
    .describe('rewards of this tag; default: those it is trained with, else `rewards` of the run'),
});

export const validatedEnvironments = z
  .record(tag, validatedEnvironment)
  .refine((all) => Object.keys(all).length >= 1, 'expected at least one tag');
