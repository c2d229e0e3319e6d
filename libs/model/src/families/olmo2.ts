/** @file OLMo 2: Llama's parts, normalized after attention and after the feed-forward layer; all query heads share a norm. */
import { add } from '@espalier/graph';
import { z } from 'zod';
import {
  attentionWeights,
  feedForward,
  feedForwardWeights,
  OUTPUT_PROJECTION,
  selfAttention,
} from '../layers/decoder-layer.js';
import { decoderConfigSchema, readDecoderShape } from './decoder-config.js';
import type { ModelFamily } from './model-family.js';

/** @see OLMo team 2024, arXiv:2501.00656 */
export const olmo2: ModelFamily = {
  modelType: 'olmo2',
  architecture: 'Olmo2ForCausalLM',
  config: decoderConfigSchema('olmo2', 'Olmo2ForCausalLM').extend({
    rms_norm_eps: z.number().positive().default(1e-5),
    attention_bias: z.boolean().default(false),
  }),
  shape: (config, refuse) => ({ ...readDecoderShape(config, refuse), queryKeyNorm: 'projection' }),
  layerWeights(shape) {
    const norm = { shape: [shape.hiddenSize] };
    return {
      ...attentionWeights(shape),
      post_attention_layernorm: norm,
      ...feedForwardWeights(shape),
      post_feedforward_layernorm: norm,
    };
  },
  layer(x, context) {
    const attended = context.linear(selfAttention(x, context), OUTPUT_PROJECTION);
    const middle = add(context.attendedRows(x), context.rmsNorm(attended, 'post_attention_layernorm'));
    const inner = feedForward(middle, context);
    return add(middle, context.rmsNorm(inner, 'post_feedforward_layernorm'));
  },
};
