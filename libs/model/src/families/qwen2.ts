/** @file Qwen 2 and 2.5: Llama's layer with biases at the projections to queries, keys and values. */
import { z } from 'zod';
import { decoderLayer, decoderLayerWeights } from '../layers/decoder-layer.js';
import { decoderConfigSchema, readDecoderShape } from './decoder-config.js';
import type { ModelFamily } from './model-family.js';

/** @see Qwen team 2024, arXiv:2407.10671 */
export const qwen2: ModelFamily = {
  modelType: 'qwen2',
  architecture: 'Qwen2ForCausalLM',
  config: decoderConfigSchema('qwen2', 'Qwen2ForCausalLM').extend({
    rms_norm_eps: z.number().positive().default(1e-6),
    // A file may name a window and not use it.
    use_sliding_window: z.boolean().default(false),
  }),
  shape: (config, refuse) => ({ ...readDecoderShape(config, refuse), hasAttentionBias: true }),
  layerWeights: decoderLayerWeights,
  layer: decoderLayer,
};
