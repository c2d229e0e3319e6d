export * from './families/llama-config.js';
export { parameterShapes } from './families/llama.js';
export { estimateModel, type ModelEstimate } from './estimate-model.js';
export { initializeWeights } from './initialize-weights.js';
export { buildDecodeGraph, buildPrefillGraph, type SamplingGraphOptions } from './sampling-graph.js';
export { packSamplingWeights, samplingWeightShapes } from './sampling-weights.js';
export {
  buildScoreGraph,
  buildTrainingGraph,
  COLUMN,
  GATHERED,
  GRADIENT,
  type LossGraph,
  METRIC,
  type SequenceGraphOptions,
} from './training-graph.js';
export { packRows, type PackedRows } from './packed-rows.js';
export { createTokenizer } from './tokenizer/tokenizer.js';
export { loadTokenizer, saveTokenizer } from './tokenizer/tokenizer-folder.js';
export { type TokenizerFiles, trainTokenizer } from './tokenizer/train-tokenizer.js';
export { encodeSafetensors } from './weights/encode-safetensors.js';
export { loadModelFolder, type ModelFolder, saveModelFolder, type Weight } from './weights/model-folder.js';
export { parseSafetensors, type Safetensors } from './weights/parse-safetensors.js';
export { loadSafetensors, saveSafetensors } from './weights/safetensors-file.js';
export { saveWholeFile } from './weights/whole-file.js';
