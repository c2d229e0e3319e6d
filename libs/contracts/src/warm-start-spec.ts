/** @file The spec of a warm start: the imitation of environment oracles by a model. */
import { z } from 'zod';
import { type ModelChoice, modelChoice } from './model-choice.js';
import {
  chosen,
  demonstrationRollout,
  inTokens,
  optimizerSchema,
  pluginFolders,
  recompute,
  warmStartLora,
} from './run-options.js';
import { device } from './device-options.js';

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
      .describe(
        'full learning rate; 1.5e-3 for a new model, 5e-4 for an existing one, 5e-5 for all weights of a pretrained one',
      ),
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
    .describe('shape of a new model, or an existing one by `use`, `path` or `hub`'),
  plugins: pluginFolders,
  lora: warmStartLora
    .optional()
    .describe(
      'train low-rank adapters next to the frozen weights of an existing model (LoRA), and merge them into the result; absent: all weights are trained',
    ),
  demonstrations: z.array(demonstration).min(1).describe('demonstrations, mixed by share'),
  tokens: z
    .number()
    .gt(0)
    .default(20e6)
    .meta(inTokens)
    .describe(
      'training tokens in total, prompts included; may change while a warm start is unfinished: the learning rate goes on as if it had been so from the start',
    ),
  batchTokens: z.int().min(256).default(16384).meta(inTokens).describe('tokens per optimizer step'),
  microBatchTokens: z
    .int()
    .min(64)
    .default(8192)
    .meta(inTokens)
    .describe('tokens computed at once; affects memory and time, and of the result the last bits only'),
  recompute,
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
  device: device
    .omit({ sampling: true, processorWatts: true, boardWatts: true, pricePerHour: true })
    .extend({
      memoryMb: device.shape.memoryMb.describe(
        'how much memory it may use: one that needs more than the machine has starts only if this allows it, and then swaps',
      ),
    })
    .prefault({})
    .describe('device and threads that the model runs on'),
});

/** A warm start from an existing model, which brings its shape and its tokenizer. */
export const continuedWarmStartSchema = warmStartSpecSchema.extend({
  model: modelChoice.describe(
    '`use` with a model plugin, `path` with a folder in Hugging Face layout, or `hub` with owner/name',
  ),
  optimizer: imitation(5e-4).prefault({}).describe('AdamW for imitation'),
});

/** Everything that a warm start needs; `model` is a shape, or names an existing model. */
export type WarmStartSpec = Omit<z.output<typeof warmStartSpecSchema>, 'model'> & {
  readonly model: z.output<typeof modelShape> | ModelChoice;
};
