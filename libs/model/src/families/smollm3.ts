/** @file SmolLM3: Llama's layer; some layers do not rotate queries and keys. */
import { z } from 'zod';
import { decoderLayer, decoderLayerWeights } from '../layers/decoder-layer.js';
import { decoderConfigSchema, readDecoderShape } from './decoder-config.js';
import type { ModelFamily } from './model-family.js';

const config = decoderConfigSchema('smollm3', 'SmolLM3ForCausalLM').extend({
  num_key_value_heads: z.int().min(1).nullable().default(4),
  tie_word_embeddings: z.boolean().default(true),
  attention_bias: z.boolean().default(false),
  mlp_bias: z.boolean().default(false),
  use_sliding_window: z.boolean().default(false),
  no_rope_layers: z
    .array(z.union([z.literal(0), z.literal(1)]))
    .nullish()
    .describe('per layer: 1 if it rotates queries and keys, 0 if it does not'),
  no_rope_layer_interval: z.int().min(1).default(4),
});

/** @see Hugging Face 2025, https://huggingface.co/blog/smollm3 */
export const smollm3: ModelFamily<z.infer<typeof config>> = {
  modelType: 'smollm3',
  architecture: 'SmolLM3ForCausalLM',
  config,
  shape(json, refuse) {
    const { no_rope_layers: listed, no_rope_layer_interval: interval, num_hidden_layers: count } = json;
    if (listed && listed.length < count)
      refuse(`no_rope_layers has ${listed.length} entries; expected one per layer, ${count}`);
    const rotates = (layer: number): boolean => (listed ? listed[layer] === 1 : (layer + 1) % interval !== 0);
    const shape = readDecoderShape(json, refuse, {
      isSliding: (layer) =>
        json.use_sliding_window && (json.sliding_window ?? null) !== null && !rotates(layer),
      defaultTheta: 2e6,
    });
    const attention = shape.attention.map((its, layer) =>
      rotates(layer) ? its : { ...its, rotary: undefined },
    );
    return { ...shape, attention };
  },
  layerWeights: decoderLayerWeights,
  layer: decoderLayer,
};
