/** @file The configuration of a GGUF file in the keys of config.json. */
import type { GgufArchitecture } from './gguf-architecture.js';
import type { GgufMetadata } from './gguf-metadata.js';
import { unsupportedGguf } from './parse-gguf.js';

/** What of a file says how its model computes. */
export interface GgufParts {
  readonly metadata: GgufMetadata;
  readonly tensors: ReadonlyMap<string, { readonly shape: readonly number[] }>;
  /** the tensor {@link ROTARY_FACTORS}, where there is one */
  readonly rotaryFactors?: Float32Array | undefined;
}

/** Divides the frequencies of the rotary embedding; config.json has the parameters that it was made with. */
export const ROTARY_FACTORS = 'rope_freqs.weight';

type KeyOf = (name: string) => string;

/** config.json as the metadata describe it; the family judges it. @throws model.unsupported_gguf */
export function describeConfig(architecture: GgufArchitecture, parts: GgufParts): Record<string, unknown> {
  const { id, modelType } = architecture;
  const { metadata, tensors } = parts;
  const key: KeyOf = (name) => `${id}.${name}`;
  const headCount = metadata.number(key('attention.head_count'));
  const hiddenSize = metadata.number(key('embedding_length'));
  const headSize = metadata.optionalNumber(key('attention.key_length')) ?? hiddenSize / headCount;
  refuseOthers(key, headSize, metadata);
  const epsilon = key('attention.layer_norm_rms_epsilon');
  const base = metadata.optionalFloat(key('rope.freq_base')) ?? 10000;
  const config: Record<string, unknown> = {
    architectures: [architecture.architecture],
    model_type: modelType,
    vocab_size: tensors.get('token_embd.weight')?.shape[0],
    hidden_size: hiddenSize,
    num_hidden_layers: metadata.number(key('block_count')),
    num_attention_heads: headCount,
    num_key_value_heads: metadata.optionalNumber(key('attention.head_count_kv')) ?? headCount,
    head_dim: headSize,
    intermediate_size: metadata.number(key('feed_forward_length')),
    rms_norm_eps: metadata.optionalFloat(epsilon) ?? metadata.refuse(epsilon, 'expected a number'),
    rope_theta: base,
    max_position_embeddings: metadata.number(key('context_length')),
    tie_word_embeddings: !tensors.has('output.weight'),
    bos_token_id: metadata.optionalNumber('tokenizer.ggml.bos_token_id') ?? null,
    eos_token_id: metadata.optionalNumber('tokenizer.ggml.eos_token_id') ?? null,
    pad_token_id: metadata.optionalNumber('tokenizer.ggml.padding_token_id') ?? null,
    ...(modelType.startsWith('gemma')
      ? describeGemma(key, modelType, { headCount, hiddenSize, headSize }, metadata)
      : describePlain(key, modelType, parts)),
  };
  const factors = describeFactors(parts, headSize, base);
  const linear = describeScaling(key, metadata);
  if (factors !== undefined && linear !== undefined)
    metadata.refuse(key('rope.scaling.factor'), `expected 1 beside the tensor "${ROTARY_FACTORS}"`);
  const scaling = factors ?? linear;
  if (scaling !== undefined) config['rope_scaling'] = scaling;
  return config;
}

/** Refuses what no key of config.json would say. */
function refuseOthers(key: KeyOf, headSize: number, metadata: GgufMetadata): void {
  if ((metadata.optionalNumber(key('expert_count')) ?? 0) > 0)
    metadata.refuse(key('expert_count'), 'models with experts are not supported');
  for (const name of ['attention.value_length', 'rope.dimension_count'])
    if ((metadata.optionalNumber(key(name)) ?? headSize) !== headSize)
      metadata.refuse(key(name), `expected the head size ${headSize}`);
}

function describePlain(
  key: KeyOf,
  modelType: string,
  { metadata, tensors }: GgufParts,
): Record<string, unknown> {
  const window = metadata.optionalNumber(key('attention.sliding_window')) ?? Infinity;
  // Which layers slide stands in no key.
  if (window < metadata.number(key('context_length')))
    metadata.refuse(
      key('attention.sliding_window'),
      'a window is not supported in a GGUF file of this architecture',
    );
  switch (modelType) {
    case 'smollm3':
      // llama.cpp has this interval in its code
      return { hidden_act: 'silu', no_rope_layer_interval: 4 };
    case 'llama':
      // biases are tensors that a file has or has not
      return {
        hidden_act: 'silu',
        attention_bias: tensors.has('blk.0.attn_q.bias'),
        mlp_bias: tensors.has('blk.0.ffn_gate.bias'),
      };
    default:
      return { hidden_act: 'silu' };
  }
}

interface HeadSizes {
  readonly headCount: number;
  readonly hiddenSize: number;
  readonly headSize: number;
}

/** Which layers slide and how scores are scaled is code in llama.cpp, by the number of layers: only 27B differs. */
function describeGemma(
  key: KeyOf,
  modelType: string,
  { headCount, hiddenSize, headSize }: HeadSizes,
  metadata: GgufMetadata,
): Record<string, unknown> {
  const is27b = metadata.number(key('block_count')) === (modelType === 'gemma2' ? 46 : 62);
  const pattern = modelType === 'gemma2' ? 2 : 6;
  const patternKey = key('attention.sliding_window_pattern');
  const given = metadata.get(patternKey) ?? pattern;
  const isPattern = Array.isArray(given)
    ? given.every((slides, layer) => slides === ((layer + 1) % pattern !== 0))
    : given === pattern;
  if (!isPattern) metadata.refuse(patternKey, `expected ${pattern}`);
  const localKey = key('rope.freq_base_swa');
  if (modelType === 'gemma2' && metadata.get(localKey) !== undefined)
    metadata.refuse(localKey, 'expected one base for all layers');
  const queryScale = is27b ? hiddenSize / headCount : headSize;
  const common = { hidden_activation: 'gelu_pytorch_tanh', query_pre_attn_scalar: queryScale };
  const windowKey = key('attention.sliding_window');
  const logitCap = metadata.optionalFloat(key('final_logit_softcapping'));
  if (modelType !== 'gemma2')
    return {
      ...common,
      sliding_window: metadata.number(windowKey),
      final_logit_softcapping: logitCap ?? null,
      rope_local_base_freq: metadata.optionalFloat(localKey) ?? 10000,
    };
  return {
    ...common,
    sliding_window: metadata.optionalNumber(windowKey) ?? 4096,
    final_logit_softcapping: logitCap ?? 30,
    attn_logit_softcapping: metadata.optionalFloat(key('attn_logit_softcapping')) ?? 50,
  };
}

/** Scaling of the rotary embedding in the words of config.json; undefined where there is none. */
function describeScaling(key: KeyOf, metadata: GgufMetadata): Record<string, unknown> | undefined {
  const typeKey = key('rope.scaling.type');
  // llama.cpp scales linearly where the file names no type
  const type = metadata.optionalText(typeKey) ?? 'linear';
  if (type === 'none') return undefined;
  // Other kinds have keys that differ from those of config.json.
  if (type !== 'linear') metadata.refuse(typeKey, 'expected "none" or "linear"');
  const attention = key('rope.scaling.attn_factor');
  if ((metadata.optionalNumber(attention) ?? 1) !== 1)
    metadata.refuse(attention, 'expected 1; take the model in safetensors');
  const factor =
    metadata.optionalFloat(key('rope.scaling.factor')) ??
    metadata.optionalFloat(key('rope.scale_linear')) ??
    1;
  if (factor === 1 || factor === 0) return undefined;
  const original = metadata.optionalNumber(key('rope.scaling.original_context_length'));
  return {
    rope_type: type,
    factor,
    ...(original === undefined ? {} : { original_max_position_embeddings: original }),
  };
}

/** Parameters that published models of Llama 3 are scaled with; the factor follows from the tensor. */
const llama3 = { low_freq_factor: 1, high_freq_factor: 4, original_max_position_embeddings: 8192 };

/** The scaling whose factors a file has as a tensor. */
function describeFactors(
  { metadata, rotaryFactors: factors }: GgufParts,
  headSize: number,
  base: number,
): Record<string, unknown> | undefined {
  if (factors === undefined || factors.every((value) => value === 1)) return undefined;
  const factor = factors.reduce((most, value) => Math.max(most, value), 0);
  const expected = llama3Factors(factor, headSize, base);
  const isSame =
    factors.length === expected.length &&
    expected.every((value, i) => Math.abs(factors[i]! / value - 1) < 1e-5);
  if (!isSame)
    throw unsupportedGguf(
      metadata.source,
      `the tensor "${ROTARY_FACTORS}" scales positions as no known model does; take the model in safetensors, whose config.json has rope_scaling`,
    );
  return { rope_type: 'llama3', factor, ...llama3 };
}

/** What frequencies are divided by: nothing for short waves, the factor for long ones. @see Llama 3.1, arXiv:2407.21783 */
function llama3Factors(factor: number, headSize: number, base: number): number[] {
  const { low_freq_factor: low, high_freq_factor: high, original_max_position_embeddings: length } = llama3;
  return Array.from({ length: headSize / 2 }, (_, i) => {
    const wavelength = 2 * Math.PI * base ** ((2 * i) / headSize);
    if (wavelength < length / high) return 1;
    if (wavelength > length / low) return factor;
    const smooth = (length / wavelength - low) / (high - low);
    return 1 / ((1 - smooth) / factor + smooth);
  });
}
