/** @file Llama: Llama 2 and 3, SmolLM, SmolLM2, TinyLlama, the built-in model. */
import { z } from 'zod';
import { decoderLayer, decoderLayerWeights } from '../layers/decoder-layer.js';
import { decoderConfigSchema, readDecoderShape } from './decoder-config.js';
import type { ModelFamily } from './model-family.js';

/** @see Touvron et al. 2023, arXiv:2307.09288; Llama team 2024, arXiv:2407.21783 */
export const llama: ModelFamily = {
  modelType: 'llama',
  architecture: 'LlamaForCausalLM',
  config: decoderConfigSchema('llama', 'LlamaForCausalLM').extend({
    attention_bias: z.boolean().default(false),
    mlp_bias: z.boolean().default(false),
  }),
  shape: (config, refuse) => readDecoderShape(config, refuse),
  layerWeights: decoderLayerWeights,
  layer: decoderLayer,
};
