export { parseModelConfig } from './families/families.js';
export type { ModelConfig, ModelShape } from './families/model-family.js';
export { buildDecodeGraph } from './decode-graph.js';
export { estimateModel, type ModelEstimate } from './estimate-model.js';
export { initializeWeights } from './initialize-weights.js';
export { CHUNK_ROWS, hasLogitChunks, roundLogitRows } from './logit-chunks.js';
export { rotaryTables } from './layers/rotary-tables.js';
export { parameterShapes } from './model-weights.js';
export { buildPrefillGraph } from './prefill-graph.js';
export { joinSamplingWeights, listSamplingWeights } from './sampling-weights.js';
export { buildScoreGraph } from './score-graph.js';
export { buildTrainingGraph } from './training-graph.js';
export { type LossGraph } from './training-heads.js';
export { COLUMN, GATHERED, GRADIENT, METRIC } from './training-names.js';
export { packRows, type PackedRows } from './packed-rows.js';
export { createTokenizer } from './tokenizer/tokenizer.js';
export { loadTokenizer, saveTokenizer } from './tokenizer/tokenizer-folder.js';
export { type TokenizerFiles, trainTokenizer } from './tokenizer/train-tokenizer.js';
export { encodeSafetensors } from './weights/encode-safetensors.js';
export { loadModelConfig } from './weights/model-config.js';
export {
  loadModelFolder,
  type ModelFolder,
  openModelFolder,
  saveModelFolder,
  type Weight,
} from './weights/model-folder.js';
export { parseSafetensors } from './weights/parse-safetensors.js';
export { loadSafetensors, openSafetensors, saveSafetensors } from './weights/safetensors-file.js';
