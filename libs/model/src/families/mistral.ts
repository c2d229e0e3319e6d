/** @file Mistral: Llama's layer; a sliding window is refused where a sequence could outgrow it. */
import { z } from 'zod';
import { decoderLayer, decoderLayerWeights } from '../layers/decoder-layer.js';
import { decoderConfigSchema, readDecoderShape } from './decoder-config.js';
import type { ModelFamily } from './model-family.js';

/** @see Jiang et al. 2023, arXiv:2310.06825 */
export const mistral: ModelFamily = {
  modelType: 'mistral',
  architecture: 'MistralForCausalLM',
  config: decoderConfigSchema('mistral', 'MistralForCausalLM').extend({
    num_key_value_heads: z.int().min(1).default(8),
    rms_norm_eps: z.number().positive().default(1e-6),
    sliding_window: z.int().min(1).nullable().default(4096),
  }),
  shape(config, refuse) {
    const isWhole = (config.sliding_window ?? Infinity) >= config.max_position_embeddings;
    return readDecoderShape(isWhole ? { ...config, sliding_window: null } : config, refuse);
  },
  layerWeights: decoderLayerWeights,
  layer: decoderLayer,
};
