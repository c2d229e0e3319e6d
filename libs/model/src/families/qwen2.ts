/** @file Qwen 2 and 2.5: Llama's layer with biases at the projections to queries, keys and values. */
import { z } from 'zod';
import { decoderLayer, decoderLayerWeights } from '../layers/decoder-layer.js';
import { decoderConfigSchema, readDecoderShape } from './decoder-config.js';
import type { ModelFamily } from './model-family.js';

/** What Qwen 2 and 3 have in common; a file may name a window and not use it. */
export const qwenKeys = {
  num_key_value_heads: z.int().min(1).nullable().default(32),
  use_sliding_window: z.boolean().default(false),
  sliding_window: z.int().min(1).nullable().default(4096),
  max_window_layers: z.int().min(0).default(28).describe('layers before the first that sees a window only'),
};

const config = decoderConfigSchema('qwen2', 'Qwen2ForCausalLM').extend({
  ...qwenKeys,
});

/** Which layers slide where `layer_types` does not say. */
export function qwenSliding(json: {
  readonly use_sliding_window: boolean;
  readonly sliding_window: number | null;
  readonly max_window_layers: number;
}): (layer: number) => boolean {
  const hasWindow = json.use_sliding_window && json.sliding_window !== null;
  return (layer) => hasWindow && layer >= json.max_window_layers;
}

/** @see Qwen team 2024, arXiv:2407.10671 */
export const qwen2: ModelFamily<z.infer<typeof config>> = {
  modelType: 'qwen2',
  architecture: 'Qwen2ForCausalLM',
  config,
  shape: (json, refuse) => ({
    ...readDecoderShape(json, refuse, { isSliding: qwenSliding(json) }),
    hasAttentionBias: true,
  }),
  layerWeights: decoderLayerWeights,
  layer: decoderLayer,
};
