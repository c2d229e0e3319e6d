/**
 * @file The configuration of the Llama family, with the key names of a Hugging Face `config.json`.
 * Not here: the forward pass (llama.ts) and reading the file (weights/).
 */
import { AppError } from '@espalier/contracts';
import { z } from 'zod';

const tokenId = z.int().min(0);

const ropeParameters = z.looseObject({
  rope_theta: z.number().positive().optional(),
  rope_type: z.string().optional(),
  /** what older files call `rope_type` */
  type: z.string().optional(),
  factor: z.number().optional(),
});

/**
 * What of `config.json` the family reads; other keys are kept as they are. Sizes end where no published model is and
 * before a table of them could no longer be made.
 */
export const llamaConfigSchema = z.looseObject({
  model_type: z.literal('llama').default('llama'),
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
    .optional()
    .describe('width of one head, d; hidden_size / num_attention_heads if absent'),
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
  architectures: z.array(z.literal('LlamaForCausalLM')).nullish(),
  hidden_act: z.literal('silu').default('silu'),
  bos_token_id: tokenId.nullish(),
  eos_token_id: z.union([tokenId, z.array(tokenId)]).nullish(),
  pad_token_id: tokenId.nullish(),
});

/** A Llama configuration as written in `config.json`. */
export type LlamaConfig = z.infer<typeof llamaConfigSchema>;

/** The sizes of a Llama, all filled in. */
export interface LlamaShape {
  readonly vocabularySize: number; // V
  readonly width: number; // D
  readonly layerCount: number; // L
  readonly headCount: number; // H
  readonly keyValueHeadCount: number; // K
  readonly headWidth: number; // d
  readonly feedForwardWidth: number; // F
  readonly normEpsilon: number;
  readonly ropeTheta: number;
  readonly contextLength: number;
  readonly isTied: boolean;
}

/**
 * Checks an unknown value as a Llama configuration.
 *
 * @throws model.unsupported_config naming the first key that is missing, wrong or not supported
 */
export function parseLlamaConfig(value: unknown, source = 'config.json'): LlamaConfig {
  const result = llamaConfigSchema.safeParse(value);
  if (!result.success) {
    throw new AppError(
      'model.unsupported_config',
      `${source}: ${describeIssue(value, result.error.issues[0])}`,
      {
        cause: result.error,
      },
    );
  }
  resolveLlamaShape(result.data, source);
  return result.data;
}

function describeIssue(value: unknown, issue: z.core.$ZodIssue | undefined): string {
  const path = issue?.path ?? [];
  const found = path.reduce<unknown>((at, key) => (at as Record<PropertyKey, unknown>)[key], value);
  const text = typeof found === 'number' ? String(found) : JSON.stringify(found);
  const shown = path.length === 0 || found === undefined ? '' : ` is ${text.slice(0, 60)}`;
  const place = path.length === 0 ? 'the top level' : path.join('.');
  const missing = path.length > 0 && found === undefined ? ' is missing' : '';
  const expectation = (issue?.message ?? 'not a configuration').replace(
    /^(Invalid input|Too small|Too big): /,
    '',
  );
  return `${place}${missing}${shown}; ${expectation}`;
}

/**
 * Fills in the sizes of a configuration and checks that they fit together.
 *
 * @throws model.unsupported_config
 */
export function resolveLlamaShape(config: LlamaConfig, source = 'config.json'): LlamaShape {
  const headCount = config.num_attention_heads;
  const keyValueHeadCount = config.num_key_value_heads ?? headCount;
  const headWidth = config.head_dim ?? config.hidden_size / headCount;
  const refuse = (finding: string): never => {
    throw new AppError('model.unsupported_config', `${source}: ${finding}`);
  };
  if (headCount % keyValueHeadCount !== 0) {
    refuse(`num_attention_heads ${headCount} is not a multiple of num_key_value_heads ${keyValueHeadCount}`);
  }
  if (!Number.isInteger(headWidth) || headWidth % 2 !== 0) {
    refuse(`head width ${headWidth}; expected an even whole number (rotary embedding turns pairs)`);
  }
  for (const rope of [config.rope_parameters, config.rope_scaling]) {
    const ropeType = rope?.rope_type ?? rope?.type ?? 'default';
    if (ropeType !== 'default') refuse(`rope_type "${ropeType}" is not supported; expected "default"`);
    if ((rope?.factor ?? 1) !== 1) refuse(`a rope factor of ${rope?.factor} is not supported; expected none`);
  }
  const window = config.use_sliding_window === false ? null : config.sliding_window;
  if (window !== null && window !== undefined)
    refuse(`sliding_window ${window} is not supported; expected null (attention over the whole context)`);
  const foreign = findForeignToken(config, config.vocab_size);
  if (foreign !== undefined) refuse(foreign);
  return {
    vocabularySize: config.vocab_size,
    width: config.hidden_size,
    layerCount: config.num_hidden_layers,
    headCount,
    keyValueHeadCount,
    headWidth,
    feedForwardWidth: config.intermediate_size,
    normEpsilon: config.rms_norm_eps,
    ropeTheta: config.rope_parameters?.rope_theta ?? config.rope_theta ?? 10000,
    contextLength: config.max_position_embeddings,
    isTied: config.tie_word_embeddings,
  };
}

/**
 * Finds an id of a special token that no row of the embedding belongs to, in a config.json or generation_config.json.
 *
 * @param vocabularySize V
 */
export function findForeignToken(value: object, vocabularySize: number): string | undefined {
  for (const key of ['bos_token_id', 'eos_token_id', 'pad_token_id'] as const) {
    const given = (value as Readonly<Record<string, unknown>>)[key] ?? [];
    const ids: readonly unknown[] = Array.isArray(given) ? given : [given];
    const foreign = ids.find(
      (id) => !(Number.isInteger(id) && Number(id) >= 0 && Number(id) < vocabularySize),
    );
    if (foreign !== undefined)
      return `${key} ${JSON.stringify(foreign)} is no token; expected an id below the vocab_size ${vocabularySize}`;
  }
  return undefined;
}
