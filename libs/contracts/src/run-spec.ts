/**
 * @file Every core option of a run: default, unit, one sentence. The options of a plugin sit with the plugin,
 * beside `use`; a resolved spec holds them validated and filled in. A default is written here and nowhere else.
 */
import { z } from 'zod';

const inTokens = { unit: 'tokens' };
const inIterations = { unit: 'iterations' };
const inOptimizerSteps = { unit: 'optimizer steps' };
const inMilliseconds = { unit: 'ms' };

/** A chosen plugin: `use` names it, its own options are neighbours of `use`. */
const chosen = z.looseObject({ use: z.string().min(1).describe('id of an installed plugin') });

/** A plugin that can run in a process of its own. */
const isolatable = chosen.extend({
  isolation: z
    .enum(['none', 'process'])
    .optional()
    .describe(
      'process: in a process of its own, which is ended when a call takes too long; default: none for plugins under plugins/, process for packages of config/plugins.yaml',
    ),
  callTimeoutMs: z
    .int()
    .min(1)
    .max(2147483647)
    .optional()
    .describe('longest time of one call with isolation: process, in milliseconds; default: 10000'),
});

const rollout = z.strictObject({
  promptsPerStep: z.int().min(1).default(8).describe('prompts (initial states) per step (P)'),
  groupSize: z.int().min(1).default(16).describe('trajectories per prompt (G)'),
  think: z.boolean().default(true).describe('demand <think>…</think> before the answer'),
  maxTurns: z.int().min(1).optional().describe('turns per episode; the environment states its default'),
  maxActions: z.int().min(1).optional().describe('actions per episode; the environment states its default'),
  maxActionsPerTurn: z
    .int()
    .min(1)
    .optional()
    .describe('actions taken from one answer; more are cut; the environment states its default'),
  maxResponseTokens: z.int().min(1).default(64).meta(inTokens).describe('tokens sampled per turn at most'),
  contextTokens: z
    .int()
    .min(16)
    .optional()
    .meta(inTokens)
    .describe('longest trajectory; default: the context length of the model'),
  stopSequences: z
    .array(z.string().min(1))
    .default([])
    .describe(
      'texts that end a reply once sampled, in training and validation; compared as the tokens that each has by itself',
    ),
  temperature: z.number().gt(0).max(10).default(1).describe('sampling temperature in training'),
  topP: z.number().gt(0).max(1).default(1).describe('nucleus probability in training; 1 = off'),
  topK: z.int().min(0).default(0).describe('most probable tokens kept in training; 0 = off'),
  format: z
    .enum(['exact', 'first-match'])
    .default('exact')
    .describe(
      'which replies are valid: `exact` = the demanded blocks and nothing else; `first-match` = the first blocks found, whatever stands around them (as RAGEN reads replies); actions are taken either way',
    ),
  formatPenalty: z
    .number()
    .max(0)
    .default(-0.1)
    .describe(
      'added to the record for each turn whose format is invalid (`rollout.format`) or whose answer names no action, or one that is unknown; actions past the allowed number cost nothing; reaches the loss through the `format` reward',
    ),
  noiseSeed: z
    .enum(['per-trajectory', 'per-group'])
    .default('per-trajectory')
    .describe(
      'per-trajectory: chance inside the environment differs between the trajectories of a group; per-group: one draw for the whole group, as in the reference',
    ),
  maxFailedShare: z
    .number()
    .min(0)
    .max(1)
    .default(0.1)
    .describe('share of errored episodes in one iteration past which the run stops'),
  environmentTimeoutMs: z
    .int()
    .min(0)
    .max(2147483647)
    .default(10000)
    .meta(inMilliseconds)
    .describe(
      'longest wait for one asynchronous call of the environment; 0 = off; code that never yields cannot be interrupted',
    ),
});

/** What of a rollout shapes a demonstration of a warm start and its checks; the rest belongs to training. */
const demonstrationRollout = rollout.pick({
  think: true,
  maxTurns: true,
  maxActions: true,
  maxActionsPerTurn: true,
  maxResponseTokens: true,
  contextTokens: true,
  noiseSeed: true,
  maxFailedShare: true,
  environmentTimeoutMs: true,
});

const update = z.strictObject({
  epochs: z
    .int()
    .min(1)
    .default(1)
    .describe('optimizer passes over the trajectories of one step (PPO epochs; Online-k)'),
  miniBatches: z
    .int()
    .min(1)
    .default(1)
    .describe('optimizer steps per pass; trajectories are split into this many parts'),
  microBatchTokens: z
    .int()
    .min(64)
    .optional()
    .meta(inTokens)
    .describe(
      'padded tokens computed at once; changes memory and time, not the result; default: 2048, or the longest trajectory if that is more',
    ),
  lossAggregation: z
    .enum(['token-mean', 'sequence-mean-token-mean', 'sequence-mean-token-sum'])
    .default('token-mean')
    .describe('how per-token losses become one number, always over the whole mini-batch'),
  lossMask: z
    .strictObject({
      think: z.boolean().default(true).describe('train on tokens of the reasoning'),
      answer: z.boolean().default(true).describe('train on tokens of the answer'),
      control: z.boolean().default(true).describe('train on the sampled end-of-turn token'),
    })
    .prefault({})
    .describe('which sampled spans count in the loss; template and observation tokens never do'),
  criticWarmup: z
    .int()
    .min(0)
    .default(0)
    .meta(inIterations)
    .describe('iterations in which only the critic learns'),
  maxSkipped: z
    .int()
    .min(0)
    .default(5)
    .meta(inIterations)
    .describe(
      'iterations in a row without anything to learn from after which the run stops, as RAGEN 2 does; 0 = never',
    ),
});

const schedule = z.strictObject({
  kind: z
    .enum(['constant', 'linear', 'cosine'])
    .default('constant')
    .describe('shape of the learning rate after warm-up'),
  warmupSteps: z
    .int()
    .min(0)
    .default(0)
    .meta(inOptimizerSteps)
    .describe('steps from 0 to the full learning rate'),
  finalRatio: z
    .number()
    .min(0)
    .max(1)
    .default(0)
    .describe('learning rate at the end over the full one (linear, cosine)'),
});

/** Learning rates above this leave no trained model whole with AdamW: each step moves every weight by about so much. */
export const highestLearningRate = 0.1;

/** Options of one AdamW optimizer. */
export const optimizerSchema = z.strictObject({
  learningRate: z.number().gt(0).default(1e-4).describe('full learning rate'),
  beta1: z.number().min(0).lt(1).default(0.9).describe('decay of the first moment'),
  beta2: z.number().min(0).lt(1).default(0.999).describe('decay of the second moment'),
  epsilon: z.number().gt(0).default(1e-8).describe('added to the root of the second moment'),
  weightDecay: z.number().min(0).default(0).describe('decoupled weight decay'),
  maxGradientNorm: z.number().gt(0).default(1).describe('gradients are scaled down to this global norm'),
  schedule: schedule.prefault({}).describe('how the learning rate changes over the run'),
});
export type OptimizerSpec = z.infer<typeof optimizerSchema>;

const validation = z.strictObject({
  every: z.int().min(0).default(10).meta(inIterations).describe('iterations between validations; 0 = never'),
  atStart: z.boolean().default(true).describe('validate before the first update'),
  atEnd: z.boolean().default(true).describe('validate after the last update'),
  episodes: z.int().min(1).default(128).describe('fixed initial states, one attempt each'),
  temperature: z.number().min(0).max(10).default(1).describe('sampling temperature; 0 = greedy'),
  topP: z.number().gt(0).max(1).default(1).describe('nucleus probability; 1 = off'),
  topK: z.int().min(0).default(0).describe('most probable tokens kept; 0 = off'),
});

const checkpoint = z.strictObject({
  every: z
    .int()
    .min(0)
    .default(10)
    .meta(inIterations)
    .describe('iterations between checkpoints; 0 = only at the end'),
  keep: z.int().min(1).default(2).describe('newest checkpoints kept'),
});

const device = z.strictObject({
  provider: z.enum(['cpu', 'webgpu', 'cuda']).default('cpu').describe('execution provider of ONNX Runtime'),
  threads: z.int().min(1).max(256).optional().describe('threads inside one operator; default: all cores'),
});

/** The spec as a person writes it (YAML), before plugins have validated their own options. */
export const runSpecSchema = z.strictObject({
  name: z
    .string()
    .regex(/^[a-z0-9][a-z0-9-]*$/)
    .optional()
    .describe('lower-case name; default: that of the file, without its ending'),
  seed: z
    .int()
    .min(0)
    .max(4294967295)
    .default(0)
    .describe('seed of the run; all streams are derived from it by name'),
  steps: z.int().min(1).default(50).meta(inIterations).describe('iterations of collect and update'),
  model: chosen
    .prefault({ use: 'seedling' })
    .describe('`use: seedling`, another model plugin, or a folder in the layout of Hugging Face'),
  environment: isolatable.describe('what the agent acts in'),
  algorithm: chosen.describe('which groups are kept, how credit is given, the loss'),
  rewards: z
    .array(
      isolatable.extend({ weight: z.number().default(1).describe('factor of this reward in the total') }),
    )
    .min(1)
    .default([
      { use: 'environment-return', weight: 1 },
      { use: 'format', weight: 1 },
    ])
    .describe('what is summed into the total of a trajectory'),
  rollout: rollout.prefault({}).describe('how experience is collected'),
  update: update.prefault({}).describe('how one rollout set is learned from'),
  optimizer: optimizerSchema.prefault({}).describe('of the policy'),
  criticOptimizer: optimizerSchema.prefault({}).describe('of the critic, where the algorithm has one'),
  validation: validation.prefault({}).describe('success on fixed states that training never sees'),
  checkpoint: checkpoint.prefault({}).describe('what a stopped run goes on from'),
  device: device.prefault({}).describe('where and with how many threads models are computed'),
});
export type RunSpecInput = z.input<typeof runSpecSchema>;

/** Numbers that follow from the others; never settable. */
export interface DerivedNumbers {
  readonly trajectoriesPerStep: number;
  readonly keptGroupsPerStep: number;
  readonly trajectoriesPerMiniBatch: number;
  readonly optimizerStepsPerStep: number;
  readonly optimizerSteps: number;
  readonly episodes: number;
}

/** Everything a run needs, validated, filled in, frozen. Plugin options are complete. */
export type RunSpec = Omit<z.output<typeof runSpecSchema>, 'name' | 'rollout' | 'update'> & {
  readonly name: string;
  readonly rollout: Omit<z.output<typeof rollout>, 'maxTurns' | 'maxActions' | 'maxActionsPerTurn'> & {
    readonly maxTurns: number;
    readonly maxActions: number;
    readonly maxActionsPerTurn: number;
  };
  readonly update: Omit<z.output<typeof update>, 'microBatchTokens'> & { readonly microBatchTokens: number };
  readonly derived: DerivedNumbers;
};

/** Shape of a model that a warm start makes anew. */
const modelShape = z.strictObject({
  hiddenSize: z.int().min(8).default(256).describe('D: width of the model'),
  layers: z.int().min(1).default(6).describe('L: layers'),
  heads: z.int().min(1).default(8).describe('H: query heads; twice their number divides hiddenSize'),
  keyValueHeads: z.int().min(1).default(4).describe('K: key and value heads; divides heads'),
  intermediateSize: z.int().min(8).default(704).describe('F: width of the feed-forward layers'),
  vocabularySize: z
    .int()
    .min(300)
    .max(4096)
    .default(512)
    .describe('V: tokens of the BPE that is trained on the demonstrations first'),
  contextLength: z.int().min(64).default(1024).meta(inTokens).describe('longest sequence'),
});

const demonstration = z.strictObject({
  environment: chosen.describe('what is taught; it has an oracle, or noise is 1'),
  rollout: demonstrationRollout.prefault({}).describe('shape of the episodes, as in a run'),
  noise: z
    .number()
    .min(0)
    .max(1)
    .describe('share of actions drawn at random instead of from the oracle; leaves reinforcement room'),
  actionsPerTurn: z.int().min(1).default(2).describe('most actions the teacher gives in one answer'),
  share: z
    .number()
    .gt(0)
    .default(1)
    .describe('share of the tokens of the whole demonstration plan, relative to the others'),
});

/** AdamW for imitation: the targets are given, so steps may be longer than in reinforcement. */
const imitation = (learningRate: number) =>
  optimizerSchema.extend({
    learningRate: z
      .number()
      .gt(0)
      .default(learningRate)
      .describe('full learning rate; 1.5e-3 for a new model, 5e-4 for one that is gone on from'),
  });

/** Imitation of environment oracles, by a model made anew. */
export const warmStartSpecSchema = z.strictObject({
  name: z
    .string()
    .regex(/^[a-z0-9][a-z0-9-]*$/)
    .default('seedling')
    .describe('name of the model, lower-case; its folder is models/<name>'),
  seed: z
    .int()
    .min(0)
    .max(4294967295)
    .default(0)
    .describe('seed of the weights, the levels and the teacher’s noise'),
  model: modelShape
    .prefault({})
    .describe('the shape of a new model, or `use:` with the id or folder of one to go on from'),
  demonstrations: z.array(demonstration).min(1).describe('what is taught, side by side'),
  tokens: z.number().gt(0).default(20e6).meta(inTokens).describe('seen in all, prompts included'),
  batchTokens: z.int().min(256).default(16384).meta(inTokens).describe('per optimizer step'),
  microBatchTokens: z
    .int()
    .min(64)
    .default(8192)
    .meta(inTokens)
    .describe('padded tokens computed at once; changes memory and time, not the result'),
  optimizer: imitation(1.5e-3).prefault({}).describe('AdamW of the imitation'),
  validation: z
    .strictObject({
      everyTokens: z.number().gt(0).default(4e6).meta(inTokens).describe('between two checks'),
      episodes: z.int().min(1).default(128).describe('levels per demonstration in a check on the way'),
      finalEpisodes: z.int().min(1).default(512).describe('levels per demonstration in the last check'),
    })
    .prefault({})
    .describe('plays levels of the validation split at temperature 1; each check also saves'),
  device: device.prefault({}).describe('where and with how many threads the model is computed'),
});

/** The same, for a model to go on from: it brings its shape and its tokenizer. */
export const continuedWarmStartSchema = warmStartSpecSchema.extend({
  model: chosen.describe('`use` with the id of a model plugin, or a folder in the layout of Hugging Face'),
  optimizer: imitation(5e-4).prefault({}).describe('AdamW of the imitation'),
});

/** Everything a warm start needs; `model` is a shape, or `use` names the model to go on from. */
export type WarmStartSpec = Omit<z.output<typeof warmStartSpecSchema>, 'model'> & {
  readonly model: z.output<typeof modelShape> | z.output<typeof chosen>;
};
