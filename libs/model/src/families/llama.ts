/** @file Llama: Llama 2, SmolLM, SmolLM2, TinyLlama, the built-in model. */
import { decoderLayer, decoderLayerWeights } from '../layers/decoder-layer.js';
import { decoderConfigSchema, readDecoderShape } from './decoder-config.js';
import type { ModelFamily } from './model-family.js';

/** @see Touvron et al. 2023, arXiv:2307.09288 */
export const llama: ModelFamily = {
  modelType: 'llama',
  architecture: 'LlamaForCausalLM',
  config: decoderConfigSchema('llama', 'LlamaForCausalLM'),
  shape: readDecoderShape,
  layerWeights: decoderLayerWeights,
  layer: decoderLayer,
};
