/**
 * @file Every core option of a run: default, unit, one sentence. A plugin defines its own options, which are written
 * next to `use`; a resolved spec holds them validated and complete. Defaults are defined here and nowhere else.
 */
import { z } from 'zod';

const inTokens = { unit: 'tokens' };
const inIterations = { unit: 'iterations' };
const inOptimizerSteps = { unit: 'optimizer steps' };
const inMilliseconds = { unit: 'ms' };

/** A chosen plugin: `use` names it, its options are written next to `use`. */
const chosen = z.looseObject({ use: z.string().min(1).describe('id of an installed plugin') });

/** A plugin that can run in a separate process. */
const isolatable = chosen.extend({
  isolation: z
    .enum(['none', 'process'])
    .optional()
    .describe(
      'process: run the plugin in a separate process, which is killed when a call takes too long; default: none for plugins under plugins/, process for packages of config/plugins.yaml',
    ),
  callTimeoutMs: z
    .int()
    .min(1)
    .max(2147483647)
    .optional()
    .describe('time limit of one call with isolation: process, in milliseconds; default: 10000'),
});

/** Set by the rendering itself, or by an option of its own. */
const templateVariable = /^(?!(?:messages|add_generation_prompt|enable_thinking)$)[A-Za-z_][A-Za-z0-9_]*$/;

const template = z.strictObject({
  enableThinking: z.boolean().optional().describe('enable_thinking of Qwen3; default: the template decides'),
  variables: z
    .record(z.string().regex(templateVariable), z.unknown())
    .optional()
    .describe(
      'other variables of the chat template by name, e.g. date_string (chat_template_kwargs of TRL); environments offer no tools, so `tools` is none unless it is given here',
    ),
});

const rollout = z.strictObject({
  promptsPerStep: z.int().min(1).default(8).describe('prompts (initial states) per step (P)'),
  groupSize: z.int().min(1).default(16).describe('trajectories per prompt (G)'),
  think: z.boolean().default(true).describe('require <think>…</think> before the answer'),
  maxTurns: z.int().min(1).optional().describe('maximum turns per episode; default: set by the environment'),
  maxActions: z
    .int()
    .min(1)
    .optional()
    .describe('maximum actions per episode; default: set by the environment'),
  maxActionsPerTurn: z
    .int()
    .min(1)
    .optional()
    .describe('maximum actions taken from one answer; the rest is dropped; default: set by the environment'),
  maxResponseTokens: z.int().min(1).default(64).meta(inTokens).describe('maximum tokens sampled per turn'),
  template: template.optional().describe('variables passed to the chat template of the model'),
  contextTokens: z
    .int()
    .min(16)
    .optional()
    .meta(inTokens)
    .describe('maximum length of a trajectory; default: the context length of the model'),
  stopSequences: z
    .array(z.string().min(1))
    .default([])
    .describe(
      'texts that end a reply when sampled, in training and validation; each is compared as the tokens that it encodes to on its own',
    ),
  temperature: z.number().gt(0).max(10).default(1).describe('sampling temperature in training'),
  topP: z.number().gt(0).max(1).default(1).describe('nucleus sampling probability in training; 1 = off'),
  topK: z.int().min(0).default(0).describe('sample from the k most probable tokens in training; 0 = off'),
  format: z
    .enum(['exact', 'first-match'])
    .default('exact')
    .describe(
      'which replies are valid: `exact` = the required blocks and nothing else; `first-match` = the first blocks found, whatever surrounds them (as in RAGEN); actions are taken either way',
    ),
  formatPenalty: z
    .number()
    .max(0)
    .default(-0.1)
    .describe(
      'recorded for each turn whose format is invalid (`rollout.format`) or whose answer names no action or an unknown one; actions beyond the limit are not penalized; enters the loss through the `format` reward',
    ),
  noiseSeed: z
    .enum(['per-trajectory', 'per-group'])
    .default('per-trajectory')
    .describe(
      'per-trajectory: environment noise differs between the trajectories of a group; per-group: the whole group shares it, as in RAGEN',
    ),
  maxFailedShare: z
    .number()
    .min(0)
    .max(1)
    .default(0.1)
    .describe('the run stops when more than this share of the episodes of an iteration fails'),
  environmentTimeoutMs: z
    .int()
    .min(0)
    .max(2147483647)
    .default(10000)
    .meta(inMilliseconds)
    .describe(
      'time limit of one asynchronous call of the environment; 0 = off; code that never yields cannot be interrupted',
    ),
});

/** The rollout options that apply to demonstrations of a warm start and their validation. */
const demonstrationRollout = rollout.pick({
  think: true,
  maxTurns: true,
  maxActions: true,
  maxActionsPerTurn: true,
  maxResponseTokens: true,
  template: true,
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
      'padded tokens computed at once; affects memory and time, not the result; default: 2048, or the maximum length of a trajectory if that is more',
    ),
  lossAggregation: z
    .enum(['token-mean', 'sequence-mean-token-mean', 'sequence-mean-token-sum'])
    .default('token-mean')
    .describe('how per-token losses become one number, over the whole mini-batch'),
  lossMask: z
    .strictObject({
      think: z.boolean().default(true).describe('train on tokens of the reasoning'),
      answer: z.boolean().default(true).describe('train on tokens of the answer'),
      control: z.boolean().default(true).describe('train on the sampled end-of-turn token'),
    })
    .prefault({})
    .describe('which sampled spans enter the loss; template and observation tokens never do'),
  criticWarmup: z
    .int()
    .min(0)
    .default(0)
    .meta(inIterations)
    .describe('iterations at the start in which only the critic is trained'),
  maxSkipped: z
    .int()
    .min(0)
    .default(5)
    .meta(inIterations)
    .describe(
      'the run stops after this many consecutive iterations without a learning signal, as in RAGEN-2; 0 = never',
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
    .describe('optimizer steps until the full learning rate'),
  finalRatio: z
    .number()
    .min(0)
    .max(1)
    .default(0)
    .describe('final learning rate divided by the full one (linear, cosine)'),
});

/** With AdamW each step moves every weight by about the learning rate, so higher ones destroy a trained model. */
export const highestLearningRate = 0.1;

/** Options of one AdamW optimizer. */
export const optimizerSchema = z.strictObject({
  learningRate: z.number().gt(0).default(1e-4).describe('full learning rate'),
  beta1: z.number().min(0).lt(1).default(0.9).describe('decay of the first moment'),
  beta2: z.number().min(0).lt(1).default(0.999).describe('decay of the second moment'),
  epsilon: z.number().gt(0).default(1e-8).describe('added to the square root of the second moment'),
  weightDecay: z.number().min(0).default(0).describe('decoupled weight decay'),
  maxGradientNorm: z.number().gt(0).default(1).describe('gradients are clipped to this global norm'),
  schedule: schedule.prefault({}).describe('how the learning rate changes over the run'),
});
export type OptimizerSpec = z.infer<typeof optimizerSchema>;

const validation = z.strictObject({
  every: z.int().min(0).default(10).meta(inIterations).describe('iterations between validations; 0 = never'),
  atStart: z.boolean().default(true).describe('validate before the first update'),
  atEnd: z.boolean().default(true).describe('validate after the last update'),
  episodes: z.int().min(1).default(128).describe('fixed initial states, one trajectory each'),
  temperature: z.number().min(0).max(10).default(1).describe('sampling temperature; 0 = greedy'),
  topP: z.number().gt(0).max(1).default(1).describe('nucleus sampling probability; 1 = off'),
  topK: z.int().min(0).default(0).describe('sample from the k most probable tokens; 0 = off'),
});

const checkpoint = z.strictObject({
  every: z
    .int()
    .min(0)
    .default(10)
    .meta(inIterations)
    .describe('iterations between checkpoints; 0 = only at the end'),
  keep: z.int().min(1).default(2).describe('number of newest checkpoints kept'),
});

const device = z.strictObject({
  provider: z.enum(['cpu', 'webgpu', 'cuda']).default('cpu').describe('execution provider of ONNX Runtime'),
  threads: z.int().min(1).max(256).optional().describe('threads per operator; default: all cores'),
});

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
  model: chosen
    .prefault({ use: 'seedling' })
    .describe('`use: seedling`, another model plugin, or a folder in Hugging Face layout'),
  environment: isolatable.describe('the environment that the agent acts in'),
  algorithm: chosen.describe('selects groups, assigns credit and defines the loss'),
  rewards: z
    .array(
      isolatable.extend({ weight: z.number().default(1).describe('weight of this reward in the total') }),
    )
    .min(1)
    .default([
      { use: 'environment-return', weight: 1 },
      { use: 'format', weight: 1 },
    ])
    .describe('rewards whose weighted sum is the total of a trajectory'),
  rollout: rollout.prefault({}).describe('how trajectories are collected'),
  update: update.prefault({}).describe('how the policy is trained on the trajectories of one step'),
  optimizer: optimizerSchema.prefault({}).describe('optimizer of the policy'),
  criticOptimizer: optimizerSchema.prefault({}).describe('optimizer of the critic, if the algorithm has one'),
  validation: validation.prefault({}).describe('measures success on fixed states that training never sees'),
  checkpoint: checkpoint.prefault({}).describe('what a stopped run resumes from'),
  device: device.prefault({}).describe('device and threads that models run on'),
});
export type RunSpecInput = z.input<typeof runSpecSchema>;

/** Numbers that follow from the options of a run; they stand next to its spec, never in it. */
export interface DerivedNumbers {
  readonly trajectoriesPerStep: number;
  readonly keptGroupsPerStep: number;
  readonly trajectoriesPerMiniBatch: number;
  readonly optimizerStepsPerStep: number;
  readonly optimizerSteps: number;
  readonly episodes: number;
}

/** Everything that a run needs, validated, complete and frozen, including plugin options. */
export type RunSpec = Omit<z.output<typeof runSpecSchema>, 'name' | 'rollout' | 'update'> & {
  readonly name: string;
  readonly rollout: Omit<z.output<typeof rollout>, 'maxTurns' | 'maxActions' | 'maxActionsPerTurn'> & {
    readonly maxTurns: number;
    readonly maxActions: number;
    readonly maxActionsPerTurn: number;
  };
  readonly update: Omit<z.output<typeof update>, 'microBatchTokens'> & { readonly microBatchTokens: number };
};

/** Shape of a new model of a warm start. */
const modelShape = z.strictObject({
  hiddenSize: z.int().min(8).default(256).describe('D: width of the model'),
  layers: z.int().min(1).default(6).describe('L: layers'),
  heads: z.int().min(1).default(8).describe('H: query heads; hiddenSize is a multiple of twice their number'),
  keyValueHeads: z.int().min(1).default(4).describe('K: key and value heads; divides heads'),
  intermediateSize: z.int().min(8).default(704).describe('F: width of the feed-forward layers'),
  vocabularySize: z
    .int()
    .min(300)
    .max(4096)
    .default(512)
    .describe('V: vocabulary size of the BPE tokenizer, which is trained on the demonstrations first'),
  contextLength: z.int().min(64).default(1024).meta(inTokens).describe('maximum sequence length'),
});

const demonstration = z.strictObject({
  environment: chosen.describe('environment of the demonstrations; it needs an oracle unless noise is 1'),
  rollout: demonstrationRollout.prefault({}).describe('rollout options, as in a run'),
  noise: z
    .number()
    .min(0)
    .max(1)
    .describe(
      'share of actions drawn at random instead of from the oracle; leaves room for reinforcement learning',
    ),
  actionsPerTurn: z.int().min(1).default(2).describe('maximum actions per answer of a demonstration'),
  share: z
    .number()
    .gt(0)
    .default(1)
    .describe('share of all training tokens, relative to the other demonstrations'),
});

/** AdamW for imitation: the targets are given, so learning rates can be higher than in reinforcement learning. */
const imitation = (learningRate: number) =>
  optimizerSchema.extend({
    learningRate: z
      .number()
      .gt(0)
      .default(learningRate)
      .describe('full learning rate; 1.5e-3 for a new model, 5e-4 for an existing one'),
  });

/** Imitation of environment oracles by a new model. */
export const warmStartSpecSchema = z.strictObject({
  name: z
    .string()
    .regex(/^[a-z0-9][a-z0-9-]*$/)
    .default('seedling')
    .describe('lower-case name of the model; its folder is models/<name>'),
  seed: z
    .int()
    .min(0)
    .max(4294967295)
    .default(0)
    .describe('seed of the weights, the initial states and the noise of the demonstrations'),
  model: modelShape
    .prefault({})
    .describe('shape of a new model, or `use:` with the id or folder of an existing one'),
  demonstrations: z.array(demonstration).min(1).describe('demonstrations, mixed by share'),
  tokens: z
    .number()
    .gt(0)
    .default(20e6)
    .meta(inTokens)
    .describe('training tokens in total, prompts included'),
  batchTokens: z.int().min(256).default(16384).meta(inTokens).describe('tokens per optimizer step'),
  microBatchTokens: z
    .int()
    .min(64)
    .default(8192)
    .meta(inTokens)
    .describe('padded tokens computed at once; affects memory and time, not the result'),
  optimizer: imitation(1.5e-3).prefault({}).describe('AdamW for imitation'),
  validation: z
    .strictObject({
      everyTokens: z.number().gt(0).default(4e6).meta(inTokens).describe('tokens between validations'),
      episodes: z
        .int()
        .min(1)
        .default(128)
        .describe('episodes per demonstration in each intermediate validation'),
      finalEpisodes: z
        .int()
        .min(1)
        .default(512)
        .describe('episodes per demonstration in the final validation'),
    })
    .prefault({})
    .describe(
      'plays episodes of the validation split at temperature 1; each validation also saves a checkpoint',
    ),
  device: device.prefault({}).describe('device and threads that the model runs on'),
});

/** A warm start from an existing model, which brings its shape and its tokenizer. */
export const continuedWarmStartSchema = warmStartSpecSchema.extend({
  model: chosen.describe('`use` with the id of a model plugin, or a folder in Hugging Face layout'),
  optimizer: imitation(5e-4).prefault({}).describe('AdamW for imitation'),
});

/** Everything that a warm start needs; `model` is a shape, or `use` names an existing model. */
export type WarmStartSpec = Omit<z.output<typeof warmStartSpecSchema>, 'model'> & {
  readonly model: z.output<typeof modelShape> | z.output<typeof chosen>;
};
