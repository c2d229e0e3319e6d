/**
 * @file Options that make a run harder while it learns: a curriculum of levels, and a schedule of the budget of its
 * episodes.
 */
import { z } from 'zod';

const inIterations = { unit: 'iterations' };

/** Most levels of a curriculum; each has metrics of its own. */
export const maxLevels = 20;

const limit = z.int().min(1).optional();
const ofEnvironment = 'default: that of the run or its tag, else set by the environment with these options';

const level = z.strictObject({
  environment: z
    .record(z.string().min(1), z.unknown())
    .default({})
    .describe('options of the environment that differ at this level'),
  maxTurns: limit.describe(`maximum turns per episode; ${ofEnvironment}`),
  maxActions: limit.describe(`maximum actions per episode; ${ofEnvironment}`),
  maxActionsPerTurn: limit.describe(`maximum actions taken from one answer; ${ofEnvironment}`),
});

export const curriculum = z.strictObject({
  levels: z
    .array(level)
    .refine(
      (levels) => levels.length >= 2 && levels.length <= maxLevels,
      `expected 2 to ${maxLevels} levels; for one, set the options of the environment itself`,
    )
    .describe('the levels, easiest first'),
  start: z.int().min(1).default(1).describe('level that the run starts at, from 1'),
  window: z
    .int()
    .min(1)
    .max(10_000)
    .default(16)
    .meta({ unit: 'groups' })
    .describe(
      'newest groups at the level over which success is measured; nothing is decided before there are as many',
    ),
  promoteAt: z.number().gt(0).max(1).default(0.8).describe('success rate at which the next level begins'),
  demoteBelow: z
    .number()
    .min(0)
    .lt(1)
    .default(0.1)
    .describe('success rate below which the previous level begins again; 0 = never'),
  replay: z
    .number()
    .min(0)
    .max(0.9)
    .default(0.25)
    .describe(
      'share of the groups that is played at earlier levels, each in turn, so that they are not forgotten; exact over several steps where it is no whole number of groups',
    ),
});
export type CurriculumSpec = z.output<typeof curriculum>;

export const horizon = z
  .strictObject({
    maxTurns: limit.describe('maximum turns in the first step; grows to maxTurns'),
    maxActions: limit.describe('maximum actions in the first step; grows to maxActions'),
    steps: z.int().min(1).meta(inIterations).describe('iterations until the full budget'),
    every: z
      .int()
      .min(1)
      .default(1)
      .meta(inIterations)
      .describe('iterations between two changes: 1 = linear, more = stepwise'),
  })
  .refine(
    ({ maxTurns, maxActions }) => maxTurns !== undefined || maxActions !== undefined,
    'expected maxTurns, maxActions or both: what the first step may have',
  );
export type HorizonSpec = z.output<typeof horizon>;
