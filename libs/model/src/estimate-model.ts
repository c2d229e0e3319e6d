/**
 * @file What a model costs, from its configuration alone: parameters, bytes and arithmetic. Activations count what
 * training keeps from the forward to the backward pass, and one chunk of logits.
 */
import type { ModelConfig } from './families/model-family.js';
import { chunkRows, hasLogitChunks } from './logit-chunks.js';
import { parameterShapes } from './model-weights.js';

/** What the estimate is for. */
export interface EstimateOptions {
  /** padded tokens of a micro-batch */
  readonly batchTokens: number;
  /** tokens of a sequence, in training and in the cache */
  readonly contextLength: number;
  /** sequences decoded together */
  readonly rows: number;
}

export interface ModelEstimate {
  readonly parameterCount: number;
  readonly weightBytes: number;
  readonly gradientBytes: number;
  readonly momentBytes: number;
  readonly activationBytes: number;
  /** where the backward pass computes each layer again: the input of each, and what one layer needs */
  readonly recomputedActivationBytes: number;
  readonly cacheBytes: number;
  /** copies in the layout of sampling */
  readonly samplingWeightBytes: number;
  /** forward and backward, attention included */
  readonly trainingFlopPerToken: number;
  readonly samplingFlopPerToken: number;
}

const FLOAT_BYTES = 4;
/** tensors of one chunk of logits that live at once */
const LOGIT_TENSORS = 4;

/** Estimates sizes and arithmetic of a model. */
export function estimateModel(
  config: ModelConfig,
  { batchTokens, contextLength, rows }: EstimateOptions,
): ModelEstimate {
  const {
    hiddenSize,
    layerCount,
    headCount,
    keyValueHeadCount,
    headSize,
    intermediateSize,
    vocabularySize,
    isTied,
  } = config.shape;
  const shapes = [...parameterShapes(config).values()];
  const parameterCount = shapes.reduce((total, shape) => total + shape.reduce((a, b) => a * b, 1), 0);
  const queryWidth = headCount * headSize;
  const keyWidth = keyValueHeadCount * headSize;
  const keptPerToken =
    4 * hiddenSize + 3 * queryWidth + 3 * keyWidth + 2 * intermediateSize + (headCount * contextLength) / 2;
  const logitRows = hasLogitChunks(vocabularySize) ? chunkRows(vocabularySize) : batchTokens;
  const logits = LOGIT_TENSORS * logitRows * vocabularySize;
  const recomputedPerToken = layerCount * hiddenSize + 2 * keptPerToken;
  const productParameters = parameterCount - (isTied ? 0 : vocabularySize * hiddenSize);
  const attentionFlop = 2 * layerCount * contextLength * queryWidth;
  return {
    parameterCount,
    weightBytes: FLOAT_BYTES * parameterCount,
    gradientBytes: FLOAT_BYTES * parameterCount,
    momentBytes: 2 * FLOAT_BYTES * parameterCount,
    activationBytes: FLOAT_BYTES * (layerCount * keptPerToken * batchTokens + logits),
    recomputedActivationBytes: FLOAT_BYTES * (recomputedPerToken * batchTokens + logits),
    cacheBytes: FLOAT_BYTES * 2 * layerCount * rows * keyWidth * contextLength,
    samplingWeightBytes: FLOAT_BYTES * productParameters,
    trainingFlopPerToken: 6 * productParameters + 6 * attentionFlop,
    samplingFlopPerToken: 2 * productParameters + 2 * attentionFlop,
  };
}
