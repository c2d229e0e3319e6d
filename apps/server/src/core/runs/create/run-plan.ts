/** @file The plan of a run: its resolved spec, what it needs, and what it would cost. */
import type { ValueSource } from '@espalier/config';
import type { DerivedNumbers } from '@espalier/contracts';
import { jobNeeds, pluginVersion } from '@espalier/protocol';
import { z } from 'zod';
import { specDifference } from '../compare/comparison.js';

export const inertOption = z.object({
  path: z.string().describe('dotted path of the option'),
  reason: z.string().describe('why it changes nothing'),
  set: z.boolean().describe('the configuration sets it'),
});

export const tagNumbers = z.object({
  tag: z.string().describe('the tag'),
  groups: z.int().describe('its groups of a step'),
  share: z.number().describe('its share of all groups, 0–1'),
  trajectoriesPerStep: z.int().describe('its trajectories of a step'),
  keptGroupsPerStep: z
    .int()
    .nullable()
    .describe('its groups that enter the batch; null: all tags are compared together'),
});

export const scheduleNumbers = z.object({
  replayedGroupsPerStep: z.int().nullable().describe('earlier groups of a step; null: without replay'),
  replayIterations: z
    .int()
    .nullable()
    .describe('iterations in which a group may be learned from again; null: without replay'),
  policyLag: z.int().describe('most optimizer steps between sampling and learning'),
  playsPerTask: z
    .number()
    .nullable()
    .describe('how often each initial state is played, if all are played alike; null: every state is new'),
});

export const derivedNumbers = z.object({
  trajectoriesPerStep: z.int().describe('trajectories sampled for a step'),
  keptGroupsPerStep: z.int().describe('groups that enter the batch of a step'),
  trajectoriesPerMiniBatch: z.number().describe('trajectories of a mini-batch'),
  optimizerStepsPerStep: z.int().describe('optimizer steps of a step'),
  optimizerSteps: z.int().describe('optimizer steps of the run'),
  episodes: z.int().describe('trajectories sampled by the run, greedy ones included'),
  greedyPerStep: z
    .int()
    .nullable()
    .describe('greedy trajectories of a step, which its groups are compared with; null: none'),
  schedule: scheduleNumbers
    .nullable()
    .describe('what follows from replay, tasks and sampling ahead; null: there are none'),
  tags: z
    .array(tagNumbers)
    .readonly()
    .nullable()
    .describe('what each environment of a run in several has of a step; null: there is only one'),
});

/** Gives the numbers as the API tells them: what does not apply is null. */
export const toDerived = ({
  tags,
  schedule,
  greedyPerStep,
  ...numbers
}: DerivedNumbers): z.output<typeof derivedNumbers> => ({
  ...numbers,
  greedyPerStep: greedyPerStep ?? null,
  schedule:
    schedule === undefined
      ? null
      : {
          policyLag: schedule.policyLag,
          replayedGroupsPerStep: schedule.replayedGroupsPerStep ?? null,
          replayIterations: schedule.replayIterations ?? null,
          playsPerTask: schedule.playsPerTask ?? null,
        },
  tags: tags?.map((own) => ({ ...own, keptGroupsPerStep: own.keptGroupsPerStep ?? null })) ?? null,
});

export const graphSize = z.object({
  name: z.string().describe('what it computes'),
  nodes: z.int().describe('its nodes'),
});

const secondsOnCpu = (what: string) =>
  z.number().optional().describe(`${what}; null for other providers than the CPU`);

export const expectedIteration = z.object({
  turnsPerEpisode: z.number().describe('turns of an episode'),
  tokensPerEpisode: z.number().describe('tokens of an episode'),
  sampledTokens: z.number().describe('tokens sampled by the model'),
  trainedTokens: z.number().describe('tokens over all passes of the update, prompts included'),
  paddingShare: z.number().describe('share of padding among the tokens of the update'),
  collectSeconds: secondsOnCpu('seconds of the rollout'),
  updateSeconds: secondsOnCpu('seconds of the update'),
  secondsPerStep: secondsOnCpu('seconds of the iteration'),
  peakBytes: z.int().describe('highest resident memory of the process'),
});

/** What `espalier plan --json` estimates. */
export const runEstimate = z.object({
  parameters: z.int().describe('parameters of the model'),
  graphs: z.array(graphSize).describe('the graphs that are built'),
  tokensPerStep: z.int().describe('most tokens of a step, prompts included'),
  expected: expectedIteration.describe('an iteration of usual length'),
  modelBytes: z.int().describe('weights, gradients and moments of all models, and copies for sampling'),
  cacheBytes: z.int().describe('key/value cache while sampling'),
  activationBytes: z.int().describe('temporaries of the graphs'),
  checkpointBytes: z.int().describe('one checkpoint'),
  checkpointsBytes: z.int().describe('all checkpoints on the disk at once'),
  secondsPerStep: z
    .array(z.number())
    .optional()
    .describe('least and most seconds of an iteration on the CPU'),
  threads: z.int().describe('threads used'),
});
export type RunEstimate = z.output<typeof runEstimate>;

/** Where the value of an option may come from. */
export const plannedSources = [
  '--set',
  'file',
  'parent',
  'default',
  'preset',
  'plugin default',
  'derived',
  'file name',
  'memory',
] as const satisfies readonly (ValueSource | 'parent')[];
export type PlannedSource = (typeof plannedSources)[number];

export const runPlan = z.object({
  name: z.string().describe('name the run would have'),
  project: z.string().describe('project the run would belong to'),
  spec: z.record(z.string(), z.unknown()).describe('the resolved spec: every option with its value'),
  specHash: z.string().describe('the sha256 of the resolved spec'),
  sources: z.record(z.string(), z.enum(plannedSources)).describe('where the value of each option comes from'),
  derived: derivedNumbers.describe('numbers that follow from the options, such as trajectories per step'),
  inert: z.array(inertOption).readonly().describe('options that change nothing here'),
  steps: z.int().describe('iterations the run would have'),
  needs: jobNeeds.describe('devices it would need: kind, count, memory, labels'),
  plugins: z
    .array(pluginVersion)
    .readonly()
    .describe('plugins it would use, as installed on the server: kind, id, version, sha256'),
  warnings: z.array(z.string()).readonly().describe('what may go wrong, a sentence each'),
  estimate: runEstimate
    .nullable()
    .describe(
      'tokens, memory and time that it would take on the server’s machine; null: see `estimateReason`',
    ),
  estimateReason: z.string().nullable().describe('why there is no estimate'),
  parentRunId: z.string().nullable().describe('the run it would be forked from'),
  parentStep: z.int().nullable().describe('step of the checkpoint it would start from'),
  forkPath: z.string().nullable().describe('checkpoint of the parent that it would start from'),
  continues: z
    .boolean()
    .describe('it would go on with everything that checkpoint holds, not with the weights only'),
  differences: z
    .array(specDifference)
    .readonly()
    .describe('of a fork: options that are not those of its parent, the value of the parent first'),
});
export type RunPlan = z.output<typeof runPlan>;
