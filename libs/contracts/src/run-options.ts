/**
 * @file Every core option of a run by section: default, unit, one sentence. A plugin defines its own options, which are
 * written next to `use`; a resolved spec holds them validated and complete. Defaults are defined here and nowhere else.
 */
import { z } from 'zod';
import { auxiliaryLosses } from './auxiliary-losses.js';
import { criticUpdate } from './critic-options.js';
import { horizon } from './curriculum-options.js';
import { promptSchema } from './prompt-format.js';
import { rewardNormalization } from './reward-normalization.js';
import { samplerCorrection } from './sampler-correction.js';
import { tokenRecords } from './update-record.js';
import { rolloutSchedule, updateSchedule } from './schedule-options.js';

export const inTokens = { unit: 'tokens' };
export const inIterations = { unit: 'iterations' };
export const inOptimizerSteps = { unit: 'optimizer steps' };
const inMilliseconds = { unit: 'ms' };

/** A chosen plugin: `use` names it, its options are written next to `use`. */
export const chosen = z.looseObject({ use: z.string().min(1).describe('id of an installed plugin') });

/** A plugin that can run in a separate process. */
export const isolatable = chosen.extend({
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

/** Packages that a configuration brings itself. */
export const pluginFolders = z
  .array(z.string().min(1).max(4096))
  .max(64)
  .optional()
  .describe(
    'folders of plugin packages besides those of the workspace, as seen from this file (from the working directory with --set); on this machine only, a server refuses them',
  );

/** Rewards whose weighted sum is the total of a trajectory. */
export const rewardList = z
  .array(isolatable.extend({ weight: z.number().default(1).describe('weight of this reward in the total') }))
  .min(1);

const template = z.strictObject({
  enableThinking: z.boolean().optional().describe('enable_thinking of Qwen3; default: the template decides'),
  variables: z
    .record(z.string().regex(templateVariable), z.unknown())
    .optional()
    .describe(
      'other variables of the chat template by name, e.g. date_string (chat_template_kwargs of TRL); environments offer no tools, so `tools` is none unless it is given here',
    ),
});

const context = z.strictObject({
  turns: z
    .union([z.literal('all'), z.int().min(1)])
    .default('all')
    .describe(
      'the turns of a prompt, the one to reply to included: all of the episode, or the last k; 1 = each turn is prompted alone. Turns keep their numbers, and all of them are learned from',
    ),
  whenFull: z
    .enum(['end', 'truncate'])
    .default('end')
    .describe(
      'what happens when the next prompt and its reply do not fit into `rollout.contextTokens`: the episode ends with the stop reason `context`, or the prompt leaves out its oldest turns',
    ),
});

export const rollout = z.strictObject({
  promptsPerStep: z.int().min(1).default(8).describe('prompts (initial states) per step (P)'),
  groupSize: z.int().min(1).default(16).describe('trajectories per prompt (G)'),
  prompt: promptSchema.prefault({}).describe('what the model is told, and the form its replies take'),
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
  horizon: horizon
    .optional()
    .describe('a smaller budget of turns or actions at first, which grows to the full one; in training only'),
  maxResponseTokens: z.int().min(1).default(64).meta(inTokens).describe('maximum tokens sampled per turn'),
  template: template.optional().describe('variables passed to the chat template of the model'),
  contextTokens: z
    .int()
    .min(16)
    .optional()
    .meta(inTokens)
    .describe(
      'most tokens of a prompt and its reply, and with `rollout.context.turns: all` of a trajectory; default: the context length of the model',
    ),
  context: context.prefault({}).describe('which turns of an episode a prompt holds'),
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
  resample: z
    .int()
    .min(0)
    .max(100)
    .optional()
    .describe(
      'how often in an iteration groups that were dropped are replaced by newly sampled ones, until promptsPerStep are kept (dynamic sampling of DAPO); 0 = never; default: set by the algorithm',
    ),
  ...rolloutSchedule,
  plans: z
    .boolean()
    .default(true)
    .describe(
      'records the plan of the environment’s oracle, if it has one, in every turn; failure labels such as `misplanning` and `dead-end` need it',
    ),
  images: z
    .boolean()
    .default(false)
    .describe(
      'records a picture of the state in every turn, beside its text, where the environment draws one: for people, and for models that see; a model that cannot see gets the text, and nothing else of the run changes',
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
export const demonstrationRollout = rollout
  .pick({
    prompt: true,
    maxTurns: true,
    maxActions: true,
    maxActionsPerTurn: true,
    maxResponseTokens: true,
    template: true,
    contextTokens: true,
    context: true,
    noiseSeed: true,
    maxFailedShare: true,
    environmentTimeoutMs: true,
  })
  .extend({
    maxFailedShare: rollout.shape.maxFailedShare.describe(
      'the warm start stops when more than this share of the episodes of a validation fails; a failure while it is taught always stops it',
    ),
  });

/** Whether layers are computed again in the backward pass. */
export const recompute = z
  .enum(['auto', 'on', 'off'])
  .default('auto')
  .describe(
    'compute each layer again in the backward pass instead of keeping its activations: less memory, about a quarter more time, the same result, which in bf16 on a CPU is rounded otherwise; `auto`: when the memory of the machine would not suffice otherwise, found anew at each start',
  );

/** How per-token losses become one number. */
export const lossAggregations = [
  'token-mean',
  'sequence-mean-token-mean',
  'sequence-mean-token-sum',
  'sequence-mean-constant',
  'sum-constant',
] as const;
export type LossAggregation = (typeof lossAggregations)[number];

export const update = z.strictObject({
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
      'padded tokens computed at once; a longer trajectory is computed alone. Affects memory and time, and of results the last bits only; default: 2048, on a GPU the maximum length of a trajectory if that is more; the command line halves it as often as the memory of the machine (or container, or device.memoryMb) asks for, a server does not; a run keeps what it began with',
    ),
  recompute,
  lossAggregation: z
    .enum(lossAggregations)
    .optional()
    .describe(
      'how per-token losses become one number, over the whole mini-batch: the mean over tokens; the mean over trajectories of the mean, or of the sum, over tokens; the mean over trajectories of the sum / lossConstant (Dr. GRPO); or the sum of all / lossConstant; default: set by the algorithm, token-mean where it says nothing',
    ),
  lossConstant: z
    .number()
    .gt(0)
    .optional()
    .describe(
      'what sums are divided by with lossAggregation sequence-mean-constant or sum-constant; default: the most tokens an episode may sample, rollout.maxTurns × rollout.maxResponseTokens',
    ),
  lossMask: z
    .strictObject({
      think: z.boolean().default(true).describe('train on tokens of the reasoning'),
      answer: z.boolean().default(true).describe('train on tokens of the answer'),
      control: z.boolean().default(true).describe('train on the sampled end-of-turn token'),
    })
    .prefault({})
    .describe('which sampled spans enter the policy loss; template and observation tokens never do'),
  rewardNormalization: rewardNormalization.optional(),
  topEntropyShare: z
    .number()
    .gt(0)
    .max(1)
    .default(1)
    .describe(
      'share of the loss tokens of a step whose advantages count, those at which the policy was most undecided; the others have 0, but keep entropy bonus and KL penalty; 1 = all, 0.2 in the paper',
    ),
  ...auxiliaryLosses,
  samplerCorrection: samplerCorrection.prefault({}),
  tokenRecords,
  ...updateSchedule,
  ...criticUpdate,
  maxSkipped: z
    .int()
    .min(0)
    .default(5)
    .meta(inIterations)
    .describe(
      'the run stops after this many consecutive iterations without a learning signal, as in RAGEN-2; 0 = never. An iteration has one when some kept trajectory has an advantage, or with `observationLoss`. Without one a critic still learns, and a penalty for leaving the starting policy still pulls',
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

/**
 * With AdamW each step moves every weight by about the learning rate, so higher ones destroy a trained model: 0.05 loses Bandit in
 * one step. No shipped configuration is above, not even the one that explodes on purpose (0.004).
 */
export const highestLearningRate = 0.005;

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

/** Options of LoRA; a section that is absent means that all weights are trained. */
const loraOptions = z.strictObject({
  rank: z
    .int()
    .min(1)
    .max(2 ** 14)
    .default(16)
    .describe('r: rows of A and columns of B in W + scale · B·A'),
  alpha: z.number().gt(0).optional().describe('scale is alpha / rank; default: twice the rank'),
  rankStabilized: z
    .boolean()
    .default(false)
    .describe('scale is alpha / √rank (rsLoRA), so that a higher rank does not learn more slowly'),
  targets: z
    .union([z.literal('all-linear'), z.array(z.string().min(1)).min(1)])
    .default('all-linear')
    .describe(
      'linear layers with adapters, by their names or last parts as in PEFT, e.g. [q_proj, v_proj]; all-linear = all but the output head',
    ),
  dropout: z
    .number()
    .min(0)
    .lt(1)
    .default(0)
    .describe(
      'share of the inputs of adapters that each optimizer step drops; sampling and scoring drop nothing; 0 = off',
    ),
  baseDtype: z
    .enum(['float32', 'bfloat16', 'int8', 'int4'])
    .default('float32')
    .describe(
      'what the frozen weights are held in while training; fewer bits need less memory; embeddings and head have at least bfloat16',
    ),
});

/** `alpha` is complete once options are resolved. */
const withAlpha = <Options extends { readonly rank: number; readonly alpha?: number | undefined }>(
  options: Options,
) => ({ ...options, alpha: options.alpha ?? 2 * options.rank });

/** LoRA of a warm start. */
export const warmStartLora = loraOptions.transform(withAlpha);

/** LoRA of a run, which may have a critic. */
export const lora = loraOptions
  .extend({
    critic: z
      .enum(['adapter', 'head', 'model'])
      .default('adapter')
      .describe(
        'adapter: adapters of its own on the frozen weights, and a value head; head: a value head on the policy; model: a copy of the model, all weights trained',
      ),
  })
  .transform(withAlpha);

export const validation = z.strictObject({
  every: z.int().min(0).default(10).meta(inIterations).describe('iterations between validations; 0 = never'),
  atStart: z.boolean().default(true).describe('validate before the first update'),
  atEnd: z.boolean().default(true).describe('validate after the last update, also if none is due'),
  episodes: z.int().min(1).default(128).describe('fixed initial states, one trajectory each'),
  levels: z
    .enum(['last', 'all'])
    .default('last')
    .describe(
      'levels of a curriculum to validate at; all: the earlier ones too, each with numbers of its own; the rates of the whole are those of the last',
    ),
  temperature: z.number().min(0).max(10).default(1).describe('sampling temperature; 0 = greedy'),
  topP: z.number().gt(0).max(1).default(1).describe('nucleus sampling probability; 1 = off'),
  topK: z.int().min(0).default(0).describe('sample from the k most probable tokens; 0 = off'),
});
