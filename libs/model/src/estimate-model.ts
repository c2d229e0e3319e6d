/**
 * @file What a model costs, from its configuration alone: parameters, bytes and arithmetic. Activations count what
 * training keeps from the forward to the backward pass, and one chunk of logits.
 */
import { parameterShapes } from './families/llama.js';
import { type LlamaConfig, resolveLlamaShape } from './families/llama-config.js';

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
  readonly cacheBytes: number;
  /** copies in the layout of sampling */
  readonly samplingWeightBytes: number;
  /** forward and backward, attention included */
  readonly trainingFlopPerToken: number;
  readonly samplingFlopPerToken: number;
}

const FLOAT_BYTES = 4;
const LOGIT_ROWS = 512;
const SMALL_VOCABULARY = 8192;
/** tensors of one chunk of logits that live at once */
const LOGIT_TENSORS = 4;

/** Estimates sizes and arithmetic of a model. */
export function estimateModel(
  config: LlamaConfig,
  { batchTokens, contextLength, rows }: EstimateOptions,
): ModelEstimate {
  const {
    width,
    layerCount,
    headCount,
    keyValueHeadCount,
    headWidth,
    feedForwardWidth,
    vocabularySize,
    isTied,
  } = resolveLlamaShape(config);
  const shapes = [...parameterShapes(config).values()];
  const parameterCount = shapes.reduce((total, shape) => total + shape.reduce((a, b) => a * b, 1), 0);
  const queryWidth = headCount * headWidth;
  const keyWidth = keyValueHeadCount * headWidth;
  const keptPerToken =
    4 * width + 3 * queryWidth + 3 * keyWidth + 2 * feedForwardWidth + (headCount * contextLength) / 2;
  const logitRows = vocabularySize < SMALL_VOCABULARY ? batchTokens : LOGIT_ROWS;
  const activations = layerCount * keptPerToken * batchTokens + LOGIT_TENSORS * logitRows * vocabularySize;
  const productParameters = parameterCount - (isTied ? 0 : vocabularySize * width);
  const attentionFlop = 2 * layerCount * contextLength * queryWidth;
  return {
    parameterCount,
    weightBytes: FLOAT_BYTES * parameterCount,
    gradientBytes: FLOAT_BYTES * parameterCount,
    momentBytes: 2 * FLOAT_BYTES * parameterCount,
    activationBytes: FLOAT_BYTES * activations,
    cacheBytes: FLOAT_BYTES * 2 * layerCount * rows * keyWidth * contextLength,
    samplingWeightBytes: FLOAT_BYTES * productParameters,
    trainingFlopPerToken: 6 * productParameters + 6 * attentionFlop,
    samplingFlopPerToken: 2 * productParameters + 2 * attentionFlop,
  };
}
