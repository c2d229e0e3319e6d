/**
 * @file Options of the rollout schedule: which initial states are played, with how many trajectories each, how far
 * sampling is ahead of the update, and which earlier groups are learned from again.
 */
import { z } from 'zod';

const groups = { unit: 'groups' };

/** Earlier groups that join those of an iteration. */
export const replay = z.strictObject({
  groups: z
    .int()
    .min(1)
    .max(4096)
    .meta(groups)
    .describe(
      'earlier groups that join those of each iteration, drawn at random unless the algorithm chooses them; fewer while fewer are held',
    ),
  capacity: z
    .int()
    .min(1)
    .max(65_536)
    .default(64)
    .meta(groups)
    .describe(
      'groups that are held, in memory and in checkpoints; the oldest leave first unless the algorithm chooses',
    ),
  maxAge: z
    .int()
    .min(1)
    .optional()
    .meta({ unit: 'optimizer steps' })
    .describe(
      'most optimizer steps of the policy between sampling a group and an update with it; older groups are dropped and counted (replay/expired); default: those of four iterations',
    ),
});

/** A finite set of initial states to train on. */
export const tasks = z
  .strictObject({
    count: z
      .int()
      .min(1)
      .max(100_000)
      .meta({ unit: 'states' })
      .describe(
        'initial states that the run trains on, again and again; with several environments, of each tag',
      ),
    choose: z
      .enum(['in-turn', 'thompson', 'pools'])
      .default('in-turn')
      .describe(
        'in-turn: each state once before any is played again, in an order drawn for each pass; thompson: a pass rate is drawn from the posterior of each state, and those nearest to `target` are played; pools: states are drawn from pools by their latest pass rate',
      ),
    target: z
      .number()
      .gt(0)
      .lt(1)
      .default(0.5)
      .describe('thompson: the pass rate at which a state teaches most'),
    memory: z
      .number()
      .min(0)
      .max(1)
      .default(0.5)
      .describe(
        'thompson: share of what is known about a state that is kept when it is played again, as the policy changes; 1 = everything, 0 = the latest group only',
      ),
    shares: z
      .strictObject({
        hard: z.number().min(0).default(1).describe('weight of states that no trajectory passed'),
        open: z.number().min(0).default(8).describe('weight of states that some passed, and of untried ones'),
        easy: z.number().min(0).default(1).describe('weight of states that all passed'),
      })
      .prefault({})
      .describe(
        'pools: share of each pool among the groups of a run, also where a step has too few for all; what a pool lacks, the others give',
      ),
  })
  .refine(({ shares: { hard, open, easy } }) => hard + open + easy > 0, {
    path: ['shares'],
    message: 'expected at least one share above 0',
  });
export type TasksSpec = z.output<typeof tasks>;

/** Sizes of groups that follow what is sampled. */
const adaptive = z
  .strictObject({
    first: z
      .int()
      .min(1)
      .meta({ unit: 'trajectories' })
      .describe('trajectories of each group in the first round; the rest of the step is given out in rounds'),
    most: z.int().min(1).meta({ unit: 'trajectories' }).describe('most trajectories of a group'),
    enough: z
      .int()
      .min(0)
      .default(0)
      .meta({ unit: 'trajectories' })
      .describe(
        'a group is decided once it has so many successes and so many failures, and gets no more trajectories; what is left goes to undecided groups, and what these do not take is saved; 0 = never',
      ),
  })
  .refine(({ first, most }) => first <= most, {
    path: ['most'],
    message: 'expected at least `first`',
  });
export type AdaptiveSpec = z.output<typeof adaptive>;

/** What `update` has of the schedule. */
export const updateSchedule = {
  replay: replay
    .optional()
    .describe('learn from groups of earlier iterations again; absent: each group is learned from once'),
};

/** What `rollout` has of the schedule. */
export const rolloutSchedule = {
  tasks: tasks
    .optional()
    .describe('train on a finite set of initial states, and how they are chosen; absent: every state is new'),
  adaptive: adaptive
    .optional()
    .describe(
      'more trajectories where it is uncertain whether the agent succeeds, at the same total; absent: `groupSize` for each group',
    ),
  ahead: z
    .int()
    .min(0)
    .max(1)
    .default(0)
    .describe(
      'iterations that sampling is ahead of the update: 1 = the next batch is sampled by a copy of the policy while the update runs, so it is one update old when it is learned from; the sampler waits, nothing is thrown away',
    ),
};
