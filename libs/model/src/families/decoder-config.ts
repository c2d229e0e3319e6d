/**
 * @file The keys of a Hugging Face `config.json` that decoder-only families have in common, and the shape they describe.
 * A family extends the schema with what differs.
 */
import { z } from 'zod';
import type { AttentionShape, ModelShape, Refuse } from './model-family.js';
import { readRotary, rotarySchema } from './rotary-config.js';

const tokenId = z.int().min(0);
/** Typed as loosely as the strictest and the loosest family need. */
const never = z.literal(false).default(false) as z.ZodType<boolean>;

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
      .nullish()
      .describe('key/value heads, K; as many as query heads if absent or null'),
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
    rms_norm_eps: z.number().positive().default(1e-6),
    rope_theta: z.number().positive().optional(),
    rope_parameters: rotarySchema.nullish(),
    rope_scaling: rotarySchema.nullish(),
    max_position_embeddings: z
      .int()
      .min(2)
      .max(2 ** 20)
      .describe('longest sequence, in tokens'),
    tie_word_embeddings: z.boolean().default(false),
    attention_bias: never,
    mlp_bias: never,
    partial_rotary_factor: z.literal(1).nullish(),
    layer_types: z.array(z.string()).nullish(),
    sliding_window: z.int().min(1).nullish(),
    use_sliding_window: z.boolean().nullish(),
    quantization_config: z.null().optional(),
    architectures: z.array(z.literal(architecture)).nullish(),
    hidden_act: z.literal('silu').default('silu') as unknown as z.ZodOptional<z.ZodNullable<z.ZodString>>,
    bos_token_id: tokenId.nullish(),
    eos_token_id: z.union([tokenId, z.array(tokenId)]).nullish(),
    pad_token_id: tokenId.nullish(),
  });
}

/** What every family's config.json has, as written there. */
export type DecoderConfig = z.infer<ReturnType<typeof decoderConfigSchema<string, string>>>;

/** What families differ in when sizes are read. */
export interface DecoderOptions {
  /** which layers see a window where `layer_types` does not say; absent: the family has no windows */
  readonly isSliding?: (layer: number) => boolean;
  readonly defaultTheta?: number;
}

/** Fills in the sizes of a configuration and checks that they fit together; what is special to a family it sets itself. */
export function readDecoderShape(
  config: DecoderConfig,
  refuse: Refuse,
  options: DecoderOptions = {},
): ModelShape {
  const headCount = config.num_attention_heads;
  const keyValueHeadCount = config.num_key_value_heads ?? headCount;
  const headSize = config.head_dim ?? config.hidden_size / headCount;
  if (headCount % keyValueHeadCount !== 0) {
    refuse(`num_attention_heads ${headCount} is not a multiple of num_key_value_heads ${keyValueHeadCount}`);
  }
  if (!Number.isInteger(headSize) || headSize % 2 !== 0) {
    refuse(`head size ${headSize}; expected an even integer (the rotary embedding rotates pairs)`);
  }
  const { rope_scaling: scaling, rope_parameters: parameters } = config;
  if (scaling && parameters) refuse('rope_scaling and rope_parameters are both given; expected one of them');
  const rotary = readRotary(scaling ?? parameters ?? {}, {
    theta: config.rope_theta ?? options.defaultTheta ?? 10000,
    contextLength: config.max_position_embeddings,
    refuse,
  });
  const scale = 1 / Math.sqrt(headSize);
  const window = windowOf(config);
  const attention = readSlidingLayers(config, refuse, options.isSliding).map((isSliding): AttentionShape => ({
    scale,
    rotary,
    window: isSliding ? window : undefined,
  }));
  return {
    vocabularySize: config.vocab_size,
    hiddenSize: config.hidden_size,
    layerCount: config.num_hidden_layers,
    headCount,
    keyValueHeadCount,
    headSize,
    intermediateSize: config.intermediate_size,
    normEpsilon: config.rms_norm_eps,
    normOffset: 0,
    contextLength: config.max_position_embeddings,
    isTied: config.tie_word_embeddings,
    embeddingScale: 1,
    activation: 'silu',
    hasAttentionBias: config.attention_bias,
    hasOutputBias: config.attention_bias,
    hasFeedForwardBias: config.mlp_bias,
    queryKeyNorm: 'none',
    attention,
  };
}

/** The window of layers that slide; undefined where no sequence outgrows it. */
function windowOf(config: DecoderConfig): number | undefined {
  const window = slidingWindow(config) ?? Infinity;
  return window >= config.max_position_embeddings ? undefined : window;
}

/** A file may name a window and not use it. */
function slidingWindow(config: DecoderConfig): number | undefined {
  return config.use_sliding_window === false ? undefined : (config.sliding_window ?? undefined);
}

/** Reads which layers see a window only, whatever its size. */
export function readSlidingLayers(
  config: DecoderConfig,
  refuse: Refuse,
  isSliding?: (layer: number) => boolean,
): boolean[] {
  const { layer_types: types, num_hidden_layers: count, model_type: modelType } = config;
  const window = slidingWindow(config);
  if (isSliding === undefined && window !== undefined)
    refuse(`sliding_window ${window} is not supported for model_type "${modelType}"; expected null`);
  if (types && types.length < count)
    refuse(`layer_types has ${types.length} entries; expected one per layer, ${count}`);
  return Array.from({ length: count }, (_, layer) => {
    const type = types?.[layer] ?? (isSliding?.(layer) === true ? SLIDING : FULL);
    if (type === FULL) return false;
    if (type !== SLIDING || isSliding === undefined) {
      const expected = isSliding === undefined ? `"${FULL}"` : `"${FULL}" or "${SLIDING}"`;
      refuse(`layer_types.${layer} is ${JSON.stringify(type).slice(0, 60)}; expected ${expected}`);
    }
    if (window === undefined)
      refuse(
        `layer_types.${layer} is "${SLIDING}" and there is no sliding_window; expected a number of tokens`,
      );
    return true;
  });
}

const SLIDING = 'sliding_attention';
const FULL = 'full_attention';
