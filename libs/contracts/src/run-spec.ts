/** @file The spec of a run: its options in full, and what follows from them. */
import { z } from 'zod';
import { checkpoint } from './checkpoint-options.js';
import { groupFilter } from './group-filter.js';
import { modelChoice } from './model-choice.js';
import { monitor } from './monitor-options.js';
import { curriculum } from './curriculum-options.js';
import { engine } from './engine-options.js';
import { mixing, trainedEnvironments, validatedEnvironments } from './mixing-options.js';
import {
  chosen,
  inIterations,
  isolatable,
  lora,
  type LossAggregation,
  optimizerSchema,
  pluginFolders,
  rewardList,
  rollout,
  update,
  validation,
} from './run-options.js';
import { device } from './device-options.js';
import type { replay } from './schedule-options.js';

/** The spec as written in YAML, before plugins validate their options. */
export const runSpecSchema = z.strictObject({
  name: z
    .string()
    .regex(/^[a-z0-9][a-z0-9-]*$/)
    .optional()
    .describe('lower-case name; default: the file name without its extension'),
  seed: z
    .int()
    .min(0)
    .max(4294967295)
    .default(0)
    .describe('seed of the run; all random streams are derived from it by name'),
  steps: z.int().min(1).default(50).meta(inIterations).describe('iterations of collect and update'),
  model: modelChoice
    .prefault({ use: 'seedling' })
    .describe(
      '`use` with a model plugin, `path` with a folder in Hugging Face layout, or `hub` with owner/name',
    ),
  plugins: pluginFolders,
  lora: lora
    .optional()
    .describe(
      'train low-rank adapters next to frozen weights (LoRA); `{}` = the defaults; absent: all weights are trained',
    ),
  environment: isolatable
    .optional()
    .describe('the environment that the agent acts in; for several see `environments`'),
  curriculum: curriculum
    .optional()
    .describe(
      'levels of the environment, from easy to hard, which the run climbs by its success; with `environments`, each tag may have its own',
    ),
  environments: trainedEnvironments
    .optional()
    .describe(
      'the environments of a run in several: a tag of your choice → its environment, its share and what holds for it alone',
    ),
  mixing: mixing
    .optional()
    .describe('how an algorithm compares trajectories of different tags; with `environments` only'),
  algorithm: chosen.describe('selects groups, assigns credit and defines the loss'),
  filter: groupFilter
    .optional()
    .describe(
      'which of the groups that the algorithm can use it learns from: those whose totals differ most; absent: all',
    ),
  rewards: rewardList
    .default([
      { use: 'environment-return', weight: 1 },
      { use: 'format', weight: 1 },
    ])
    .describe('rewards whose weighted sum is the total of a trajectory'),
  rollout: rollout.prefault({}).describe('how trajectories are collected'),
  update: update.prefault({}).describe('how the policy is trained on the trajectories of one step'),
  optimizer: optimizerSchema.prefault({}).describe('optimizer of the policy'),
  criticOptimizer: optimizerSchema.prefault({}).describe('optimizer of the critic, if the algorithm has one'),
  validation: validation
    .extend({
      environments: validatedEnvironments
        .optional()
        .describe(
          'environments to validate in besides the trained ones, by tag; under a trained tag, what differs from its training',
        ),
    })
    .prefault({})
    .describe('measures success on fixed states that training never sees'),
  checkpoint: checkpoint.prefault({}).describe('what a stopped run resumes from'),
  monitor: monitor
    .prefault({})
    .describe('watches for collapse: rules about rewards, entropy, gradients and text give a state'),
  engine: engine
    .optional()
    .describe('computes the model on a server instead of in the training process; absent: in this process'),
  device: device.prefault({}).describe('device and threads that models run on'),
});

/** Numbers that follow from the options of a run; they stand next to its spec, never in it. */
export interface DerivedNumbers {
  readonly trajectoriesPerStep: number;
  readonly keptGroupsPerStep: number;
  readonly trajectoriesPerMiniBatch: number;
  readonly optimizerStepsPerStep: number;
  readonly optimizerSteps: number;
  /** greedy ones included */
  readonly episodes: number;
  /** greedy trajectories of a step, which its groups are compared with; absent: no algorithm asks for any */
  readonly greedyPerStep?: number | undefined;
  /** what follows from replay, tasks and sampling ahead, where there are any */
  readonly schedule?: ScheduleNumbers | undefined;
  /** a run in several environments: what each tag has of a step */
  readonly tags?: readonly TagNumbers[] | undefined;
}

interface ScheduleNumbers {
  /** with `update.replay`: earlier groups of a step once enough are held */
  readonly replayedGroupsPerStep?: number | undefined;
  /** with `update.replay`: iterations in which a group may join */
  readonly replayIterations?: number | undefined;
  /** most optimizer steps of the policy between sampling and learning */
  readonly policyLag: number;
  /** with `rollout.tasks`: how often a state is played, if all are played alike */
  readonly playsPerTask?: number | undefined;
}

interface TagNumbers {
  readonly tag: string;
  readonly groups: number;
  /** of all groups, 0–1 */
  readonly share: number;
  readonly trajectoriesPerStep: number;
  /** absent where the algorithm chooses among the groups of all tags */
  readonly keptGroupsPerStep?: number | undefined;
}

/** Replay with every option. */
type ReplaySpec = z.output<typeof replay> & { readonly maxAge: number };

/** Everything that a run needs, validated, complete and frozen, including plugin options. */
export type RunSpec = Omit<z.output<typeof runSpecSchema>, 'name' | 'rollout' | 'update'> & {
  readonly name: string;
  readonly rollout: Omit<z.output<typeof rollout>, 'maxTurns' | 'maxActions' | 'maxActionsPerTurn'> & {
    readonly maxTurns: number;
    readonly maxActions: number;
    readonly maxActionsPerTurn: number;
  };
  readonly update: Omit<z.output<typeof update>, 'microBatchTokens' | 'lossAggregation' | 'replay'> & {
    readonly microBatchTokens: number;
    readonly lossAggregation: LossAggregation;
    readonly replay?: ReplaySpec | undefined;
  };
};
