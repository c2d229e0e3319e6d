/** @file The model that learns: new with a tokenizer of the demonstrations, loaded from a folder, or resumed. */
import { AppError, type PolicyEngine, type WarmStartSpec } from '@espalier/contracts';
import { isModelChoice, type ModelChoice } from '@espalier/contracts/model-choice';
import { createEmbeddedEngine } from '@espalier/engine';
import {
  createTokenizer,
  describeNewModel,
  initializeWeights,
  loadModelFolder,
  loadTokenizer,
  type ModelConfig,
  saveModelFolder,
  saveTokenizer,
} from '@espalier/model';
import { findLoraProblem } from '@espalier/model/adapters';
import { deriveSeed } from '@espalier/random';
import { validateTokenizer } from '@espalier/rollout';
import type { Demonstration } from './demonstration.js';
import { trainVocabulary } from './vocabulary.js';
import type { WorkFolder } from './work-folder.js';

/** A model to start from. Its weights stay in its folder: this is held as long as the warm start takes. */
export interface GivenModel {
  readonly config: ModelConfig;
  readonly folder: string;
  readonly base: string | undefined;
}

/**
 * Checks the existing model that the spec names, its weights included; writes nothing.
 *
 * @throws model.* for a bad folder; rollout.unsupported_template; config.impossible_budget for a tokenizer with more ids than the embedding has rows
 */
export function loadGivenModel(folder: string, base?: string): GivenModel {
  const { config } = loadModelFolder(folder, base);
  const tokenizer = loadTokenizer(folder);
  validateTokenizer(tokenizer);
  const { vocabularySize, embeddingRows: needed = vocabularySize } = tokenizer;
  const { vocabularySize: rows } = config.shape;
  if (needed <= rows) return { config, folder, base };
  throw new AppError(
    'config.impossible_budget',
    `model "${folder}": its tokenizer gives ids up to ${needed - 1} but the embedding has ${rows} rows; use the tokenizer the model was trained with`,
  );
}

/** Opens the engine of a warm start, on `given` if there is one; the caller disposes it. */
export async function openStudent(
  spec: WarmStartSpec,
  demonstrations: readonly Demonstration[],
  work: WorkFolder,
  given: GivenModel | undefined,
): Promise<PolicyEngine> {
  if (!work.latest) await prepareStart(spec, demonstrations, work.start, given);
  const engine = await createEmbeddedEngine({
    folder: work.start,
    provider: spec.device.provider,
    precision: spec.device.precision,
    ...(spec.device.driver === undefined ? {} : { driver: spec.device.driver }),
    ...(spec.device.threads === undefined ? {} : { threads: spec.device.threads }),
    microBatchTokens: spec.microBatchTokens,
    recompute: spec.recompute,
    ...(spec.lora === undefined
      ? {}
      : {
          lora: {
            ...spec.lora,
            critic: 'head',
            seed: deriveSeed(spec.seed, 'warm-start', 'lora'),
          },
        }),
  });
  if (!work.latest) return engine;
  try {
    await engine.policy.load(work.latest.folder, { optimizer: true });
    return engine;
  } catch (error) {
    await engine.dispose();
    throw error;
  }
}

/** The configuration of a new model. */
export function describeStudent(
  model: Exclude<WarmStartSpec['model'], ModelChoice>,
  { endOfTurn, pad }: { readonly endOfTurn: number; readonly pad: number },
): ModelConfig {
  return describeNewModel({
    vocabularySize: model.vocabularySize,
    hiddenSize: model.hiddenSize,
    layerCount: model.layers,
    headCount: model.heads,
    keyValueHeadCount: model.keyValueHeads,
    intermediateSize: model.intermediateSize,
    contextLength: model.contextLength,
    endOfTurn,
    pad,
  });
}

/** Makes sure that adapters fit the model. @throws config.impossible_budget */
export function validateLora({ lora }: WarmStartSpec, given: GivenModel | undefined): void {
  const problem = lora === undefined || given === undefined ? undefined : findLoraProblem(given.config, lora);
  if (problem === undefined) return;
  throw new AppError('config.impossible_budget', `lora.${problem[0]} ${problem[1]}`);
}

/** Writes the model at step 0 and its tokenizer into `folder`. */
async function prepareStart(
  spec: WarmStartSpec,
  demonstrations: readonly Demonstration[],
  folder: string,
  given: GivenModel | undefined,
): Promise<void> {
  const { model } = spec;
  if (given !== undefined) {
    const { config, weights } = loadModelFolder(given.folder, given.base);
    saveModelFolder(folder, { config, weights, dtype: 'float32', tokenizerFrom: given.folder });
    return;
  }
  if (isModelChoice(model)) throw new TypeError('prepareStart: the given model was not loaded');
  const files = await trainVocabulary(spec.seed, model, demonstrations);
  saveTokenizer(folder, files);
  const config = describeStudent(model, createTokenizer(files));
  const weights = initializeWeights(config, deriveSeed(spec.seed, 'warm-start', 'weights'));
  saveModelFolder(folder, { config, weights, dtype: 'float32' });
}
