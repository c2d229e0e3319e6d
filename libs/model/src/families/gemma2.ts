/**
 * @file Gemma 2: norms before and after attention and the feed-forward layer, soft caps on scores and logits, and every
 * other layer sees a window only.
 */
import { add } from '@espalier/graph';
import { z } from 'zod';
import {
  attentionWeights,
  feedForward,
  feedForwardWeights,
  OUTPUT_PROJECTION,
  selfAttention,
} from '../layers/decoder-layer.js';
import { type DecoderConfig, decoderConfigSchema, readDecoderShape } from './decoder-config.js';
import type { ModelFamily, ModelShape } from './model-family.js';

/** The keys that Gemma 2 and 3 have in common. */
export const gemmaKeys = {
  num_key_value_heads: z.int().min(1).default(4),
  head_dim: z
    .int()
    .min(2)
    .max(2 ** 12)
    .default(256),
  tie_word_embeddings: z.boolean().default(true),
  attention_bias: z.boolean().default(false),
  hidden_act: z.literal('gelu_pytorch_tanh').nullish(),
  hidden_activation: z.literal('gelu_pytorch_tanh').default('gelu_pytorch_tanh'),
  query_pre_attn_scalar: z.number().positive().default(256),
  sliding_window: z.int().min(1).nullable().default(4096),
  use_bidirectional_attention: z.literal(false).nullish(),
};
const cap = z.number().positive().nullable();

/** What Gemma 2 and 3 change in the shape of a decoder. */
export function gemmaShape(
  shape: ModelShape,
  config: DecoderConfig & { readonly query_pre_attn_scalar: number },
): ModelShape {
  const scale = config.query_pre_attn_scalar ** -0.5;
  return {
    ...shape,
    normOffset: 1,
    // rounded as transformers keeps it
    embeddingScale: Math.fround(Math.sqrt(config.hidden_size)),
    activation: 'gelu',
    attention: shape.attention.map((its) => ({ ...its, scale })),
  };
}

const config = decoderConfigSchema('gemma2', 'Gemma2ForCausalLM').extend({
  ...gemmaKeys,
  final_logit_softcapping: cap.default(30),
  attn_logit_softcapping: cap.default(50),
});

/** @see Gemma team 2024, arXiv:2408.00118 */
export const gemma2: ModelFamily<z.infer<typeof config>> = {
  modelType: 'gemma2',
  architecture: 'Gemma2ForCausalLM',
  config,
  shape(json, refuse) {
    const isSliding = (layer: number): boolean => layer % 2 === 0;
    const shape = gemmaShape(readDecoderShape(json, refuse, { isSliding }), json);
    const softCap = json.attn_logit_softcapping ?? undefined;
    return {
      ...shape,
      logitSoftCap: json.final_logit_softcapping ?? undefined,
      attention: shape.attention.map((its) => ({ ...its, softCap })),
    };
  },
  layerWeights(shape) {
    const norm = { shape: [shape.hiddenSize] };
    return {
      input_layernorm: norm,
      ...attentionWeights(shape),
      post_attention_layernorm: norm,
      pre_feedforward_layernorm: norm,
      ...feedForwardWeights(shape),
      post_feedforward_layernorm: norm,
    };
  },
  layer(x, context) {
    const attended = selfAttention(context.rmsNorm(x, 'input_layernorm'), context);
    const projected = context.linear(attended, OUTPUT_PROJECTION);
    const middle = add(context.attendedRows(x), context.rmsNorm(projected, 'post_attention_layernorm'));
    const inner = feedForward(context.rmsNorm(middle, 'pre_feedforward_layernorm'), context);
    return add(middle, context.rmsNorm(inner, 'post_feedforward_layernorm'));
  },
};
