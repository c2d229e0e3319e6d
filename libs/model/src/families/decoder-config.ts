/**
 * @file The keys of a Hugging Face `config.json` that decoder-only families have in common, and the shape they describe.
 * A family extends the schema with what differs.
 */
import { z } from 'zod';
import type { ModelShape, Refuse } from './model-family.js';

const tokenId = z.int().min(0);

const ropeParameters = z.looseObject({
  rope_theta: z.number().positive().optional(),
  rope_type: z.string().optional(),
  /** the name of `rope_type` in older files */
  type: z.string().optional(),
  factor: z.number().optional(),
});

/**
 * The keys that are read; others are kept. Limits on sizes lie beyond every published model and below what would exhaust
 * memory before a weight is read.
 */
export function decoderConfigSchema<Type extends string, Architecture extends string>(
  modelType: Type,
  architecture: Architecture,
) {
  return z.looseObject({
    model_type: z.literal(modelType).default(modelType as never),
    vocab_size: z
      .int()
      .min(2)
      .max(2 ** 20)
      .describe('number of tokens, V'),
    hidden_size: z
      .int()
      .min(2)
      .max(2 ** 16)
      .describe('width of the residual stream, D'),
    num_hidden_layers: z.int().min(1).max(1024).describe('number of layers, L'),
    num_attention_heads: z.int().min(1).max(1024).describe('query heads, H'),
    num_key_value_heads: z
      .int()
      .min(1)
      .optional()
      .describe('key/value heads, K; as many as query heads if absent'),
    head_dim: z
      .int()
      .min(2)
      .max(2 ** 12)
      .nullish()
      .describe('size of one head, d; hidden_size / num_attention_heads if absent'),
    intermediate_size: z
      .int()
      .min(1)
      .max(2 ** 18)
      .describe('width of the feed-forward layer, F'),
    rms_norm_eps: z.number().positive().default(1e-5),
    rope_theta: z.number().positive().optional(),
    rope_parameters: ropeParameters.nullish(),
    rope_scaling: ropeParameters.nullish(),
    max_position_embeddings: z
      .int()
      .min(2)
      .max(2 ** 20)
      .describe('longest sequence, in tokens'),
    tie_word_embeddings: z.boolean().default(false),
    attention_bias: z.literal(false).default(false),
    mlp_bias: z.literal(false).default(false),
    partial_rotary_factor: z.literal(1).nullish(),
    layer_types: z.array(z.literal('full_attention')).nullish(),
    sliding_window: z.int().nullish(),
    use_sliding_window: z.boolean().nullish(),
    quantization_config: z.null().optional(),
    architectures: z.array(z.literal(architecture)).nullish(),
    hidden_act: z.literal('silu').default('silu'),
    bos_token_id: tokenId.nullish(),
    eos_token_id: z.union([tokenId, z.array(tokenId)]).nullish(),
    pad_token_id: tokenId.nullish(),
  });
}

/** What every family's config.json has, as written there. */
export type DecoderConfig = z.infer<ReturnType<typeof decoderConfigSchema<string, string>>>;

/** Fills in the sizes of a configuration and checks that they fit together; biases and norms of heads are the family's. */
export function readDecoderShape(config: DecoderConfig, refuse: Refuse): ModelShape {
  const headCount = config.num_attention_heads;
  const keyValueHeadCount = config.num_key_value_heads ?? headCount;
  const headSize = config.head_dim ?? config.hidden_size / headCount;
  if (headCount % keyValueHeadCount !== 0) {
    refuse(`num_attention_heads ${headCount} is not a multiple of num_key_value_heads ${keyValueHeadCount}`);
  }
  if (!Number.isInteger(headSize) || headSize % 2 !== 0) {
    refuse(`head size ${headSize}; expected an even integer (the rotary embedding rotates pairs)`);
  }
  for (const rope of [config.rope_parameters, config.rope_scaling]) {
    const ropeType = rope?.rope_type ?? rope?.type ?? 'default';
    if (ropeType !== 'default') refuse(`rope_type "${ropeType}" is not supported; expected "default"`);
    if ((rope?.factor ?? 1) !== 1) refuse(`a rope factor of ${rope?.factor} is not supported; expected none`);
  }
  const window = config.use_sliding_window === false ? null : config.sliding_window;
  if (window !== null && window !== undefined)
    refuse(`sliding_window ${window} is not supported; expected null (attention over the whole context)`);
  return {
    vocabularySize: config.vocab_size,
    hiddenSize: config.hidden_size,
    layerCount: config.num_hidden_layers,
    headCount,
    keyValueHeadCount,
    headSize,
    intermediateSize: config.intermediate_size,
    normEpsilon: config.rms_norm_eps,
    ropeTheta: config.rope_parameters?.rope_theta ?? config.rope_theta ?? 10000,
    contextLength: config.max_position_embeddings,
    isTied: config.tie_word_embeddings,
    hasAttentionBias: false,
    hasHeadNorms: false,
  };
}
