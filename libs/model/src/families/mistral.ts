/** @file Mistral: Llama's layer; all layers see the same window. */
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
    sliding_window: z.int().min(1).nullable().default(4096),
    // Transformers does not read it: every layer slides, or none.
    layer_types: z.null().optional(),
  }),
  shape: (config, refuse) =>
    readDecoderShape(config, refuse, { isSliding: () => (config.sliding_window ?? null) !== null }),
  layerWeights: decoderLayerWeights,
  layer: decoderLayer,
};
