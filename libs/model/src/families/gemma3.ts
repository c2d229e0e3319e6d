/**
 * @file Gemma 3, the text models: Gemma 2's layer without caps on scores, with a norm over each head of queries and keys;
 * one layer in six sees the whole context and rotates by another base.
 */
import { z } from 'zod';
import { decoderConfigSchema, readDecoderShape, readSlidingLayers } from './decoder-config.js';
import { gemma2, gemmaKeys, gemmaShape } from './gemma2.js';
import type { ModelFamily } from './model-family.js';
import { readRotary, rotarySchema } from './rotary-config.js';

const config = decoderConfigSchema('gemma3_text', 'Gemma3ForCausalLM').extend({
  ...gemmaKeys,
  final_logit_softcapping: z.number().positive().nullish(),
  // Transformers reads it and does not apply it.
  attn_logit_softcapping: z.null().optional(),
  sliding_window_pattern: z.int().min(1).default(6),
  rope_local_base_freq: z.number().positive().default(10000),
  rope_parameters: rotarySchema
    .extend({ full_attention: rotarySchema.nullish(), sliding_attention: rotarySchema.nullish() })
    .nullish(),
});

/** @see Gemma team 2025, arXiv:2503.19786 */
export const gemma3: ModelFamily<z.infer<typeof config>> = {
  ...gemma2,
  modelType: 'gemma3_text',
  architecture: 'Gemma3ForCausalLM',
  config,
  shape(json, refuse) {
    const isSliding = (layer: number): boolean => (layer + 1) % json.sliding_window_pattern !== 0;
    const { rope_parameters: parameters, rope_scaling: scaling, ...rest } = json;
    if (parameters?.rope_theta !== undefined || parameters?.rope_type !== undefined)
      refuse(
        'rope_parameters is not told apart by layer_types; expected full_attention and sliding_attention',
      );
    const contextLength = json.max_position_embeddings;
    const whole = readRotary(
      { ...parameters?.full_attention, ...scaling },
      { theta: json.rope_theta ?? 1e6, contextLength, refuse },
    );
    const local = readRotary(parameters?.sliding_attention ?? {}, {
      theta: json.rope_local_base_freq,
      contextLength,
      refuse,
    });
    const shape = gemmaShape(readDecoderShape(rest, refuse, { isSliding }), json);
    const sliding = readSlidingLayers(json, refuse, isSliding);
    return {
      ...shape,
      queryKeyNorm: 'head',
      logitSoftCap: json.final_logit_softcapping ?? undefined,
      attention: shape.attention.map((its, layer) => ({
        ...its,
        rotary: sliding[layer] === true ? local : whole,
      })),
    };
  },
};
