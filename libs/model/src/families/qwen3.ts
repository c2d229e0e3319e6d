/** @file Qwen 3, the dense models: Llama's layer with a norm over each head of queries and keys. */
import { z } from 'zod';
import { decoderLayer, decoderLayerWeights } from '../layers/decoder-layer.js';
import { decoderConfigSchema, readDecoderShape } from './decoder-config.js';
import type { ModelFamily } from './model-family.js';
import { qwenSliding, qwenKeys } from './qwen2.js';

const config = decoderConfigSchema('qwen3', 'Qwen3ForCausalLM').extend({
  head_dim: z
    .int()
    .min(2)
    .max(2 ** 12)
    .default(128),
  attention_bias: z.boolean().default(false),
  ...qwenKeys,
});

/** @see Qwen team 2025, arXiv:2505.09388 */
export const qwen3: ModelFamily<z.infer<typeof config>> = {
  modelType: 'qwen3',
  architecture: 'Qwen3ForCausalLM',
  config,
  shape: (json, refuse) => ({
    ...readDecoderShape(json, refuse, { isSliding: qwenSliding(json) }),
    queryKeyNorm: 'head',
  }),
  layerWeights: decoderLayerWeights,
  layer: decoderLayer,
};
