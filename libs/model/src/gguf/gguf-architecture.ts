/**
 * @file Architectures of GGUF files and the families of Hugging Face that they are: names of tensors, keys of the metadata
 * and of config.json, and rows that are stored in another order.
 */
import type { ModelConfig } from '../families/model-family.js';
import { EMBEDDING, FINAL_NORM, OUTPUT_HEAD } from '../model-weights.js';
import type { GgufMetadata } from './gguf-metadata.js';
import type { GgufHeader } from './parse-gguf.js';

export interface GgufArchitecture {
  /** `general.architecture` */
  readonly id: string;
  /** `model_type` and `architectures` of config.json */
  readonly modelType: string;
  readonly architecture: string;
  /** rows of queries and keys lie in the order of interleaved pairs, not of halves */
  readonly isInterleaved: boolean;
}

const architectures: readonly GgufArchitecture[] = [
  { id: 'llama', modelType: 'llama', architecture: 'LlamaForCausalLM', isInterleaved: true },
  { id: 'qwen2', modelType: 'qwen2', architecture: 'Qwen2ForCausalLM', isInterleaved: false },
  { id: 'qwen3', modelType: 'qwen3', architecture: 'Qwen3ForCausalLM', isInterleaved: false },
];

/** Finds the architecture of a file. @throws model.unsupported_gguf */
export function findArchitecture(metadata: GgufMetadata): GgufArchitecture {
  const key = 'general.architecture';
  const id = metadata.optionalText(key);
  const known = architectures.map((one) => one.id).join(', ');
  return architectures.find((one) => one.id === id) ?? metadata.refuse(key, `supported are ${known}`);
}

/** Finds the architecture that a family is written as; Mistral is Llama there. */
export function architectureOf(config: ModelConfig): GgufArchitecture | undefined {
  const modelType = config.family.modelType === 'mistral' ? 'llama' : config.family.modelType;
  return architectures.find((one) => one.modelType === modelType);
}

const outerNames: Readonly<Record<string, string>> = {
  'token_embd.weight': EMBEDDING,
  'output_norm.weight': FINAL_NORM,
  'output.weight': OUTPUT_HEAD,
};

const layerNames: Readonly<Record<string, string>> = {
  attn_norm: 'input_layernorm',
  attn_q: 'self_attn.q_proj',
  attn_k: 'self_attn.k_proj',
  attn_v: 'self_attn.v_proj',
  attn_output: 'self_attn.o_proj',
  attn_q_norm: 'self_attn.q_norm',
  attn_k_norm: 'self_attn.k_norm',
  ffn_norm: 'post_attention_layernorm',
  ffn_gate: 'mlp.gate_proj',
  ffn_up: 'mlp.up_proj',
  ffn_down: 'mlp.down_proj',
};

/** The name of a parameter in Hugging Face's checkpoints; undefined for one that no family here has. */
export function parameterNameOf(tensor: string): string | undefined {
  if (Object.hasOwn(outerNames, tensor)) return outerNames[tensor];
  const [, layer = '', name = '', kind = ''] = /^blk\.(\d+)\.(\w+)\.(weight|bias)$/.exec(tensor) ?? [];
  return Object.hasOwn(layerNames, name) ? `model.layers.${layer}.${layerNames[name]}.${kind}` : undefined;
}

/** The name of a parameter in a GGUF file. */
export function tensorNameOf(parameter: string): string | undefined {
  const outer = Object.entries(outerNames).find(([, name]) => name === parameter);
  if (outer !== undefined) return outer[0];
  const [, layer = '', path = '', kind = ''] =
    /^model\.layers\.(\d+)\.([\w.]+)\.(weight|bias)$/.exec(parameter) ?? [];
  const inner = Object.entries(layerNames).find(([, name]) => name === path);
  return inner === undefined ? undefined : `blk.${layer}.${inner[0]}.${kind}`;
}

/** Tells whether a parameter's rows lie in another order: those of queries and keys that are rotated. */
export const isRotated = (parameter: string): boolean => /\.self_attn\.[qk]_proj\./.test(parameter);

/** config.json as the metadata describe it; the family judges it. @throws model.unsupported_gguf */
export function describeConfig(
  architecture: GgufArchitecture,
  metadata: GgufMetadata,
  tensors: GgufHeader['tensors'],
): Record<string, unknown> {
  const { id, modelType } = architecture;
  const key = (name: string): string => `${id}.${name}`;
  const headCount = metadata.number(key('attention.head_count'));
  const hiddenSize = metadata.number(key('embedding_length'));
  const headSize = metadata.optionalNumber(key('attention.key_length')) ?? hiddenSize / headCount;
  refuseOthers(key, headSize, metadata, tensors);
  const base = metadata.optionalFloat(key('rope.freq_base')) ?? 10000;
  const epsilon = key('attention.layer_norm_rms_epsilon');
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
    hidden_act: 'silu',
    rms_norm_eps: metadata.optionalFloat(epsilon) ?? metadata.refuse(epsilon, 'expected a number'),
    rope_theta: base,
    max_position_embeddings: metadata.number(key('context_length')),
    tie_word_embeddings: !tensors.has('output.weight'),
    bos_token_id: metadata.optionalNumber('tokenizer.ggml.bos_token_id') ?? null,
    eos_token_id: metadata.optionalNumber('tokenizer.ggml.eos_token_id') ?? null,
    pad_token_id: metadata.optionalNumber('tokenizer.ggml.padding_token_id') ?? null,
  };
  const scaling = describeScaling(key, metadata);
  if (scaling !== undefined) config['rope_scaling'] = scaling;
  return config;
}

type KeyOf = (name: string) => string;

/** Refuses what no key of config.json would say. */
function refuseOthers(
  key: KeyOf,
  headSize: number,
  metadata: GgufMetadata,
  tensors: GgufHeader['tensors'],
): void {
  if ((metadata.optionalNumber(key('expert_count')) ?? 0) > 0)
    metadata.refuse(key('expert_count'), 'models with experts are not supported');
  for (const name of ['attention.value_length', 'rope.dimension_count'])
    if ((metadata.optionalNumber(key(name)) ?? headSize) !== headSize)
      metadata.refuse(key(name), `expected the head size ${headSize}`);
  const window = metadata.optionalNumber(key('attention.sliding_window')) ?? Infinity;
  // Which layers slide stands in no key.
  if (window < metadata.number(key('context_length')))
    metadata.refuse(key('attention.sliding_window'), 'a window is not supported in a GGUF file');
  if (tensors.has('rope_freqs.weight'))
    metadata.refuse(
      key('rope.scaling.type'),
      'the tensor "rope_freqs.weight" scales the rotary embedding, which is not supported',
    );
}

/** Scaling of the rotary embedding in the words of config.json; undefined where there is none. */
function describeScaling(key: KeyOf, metadata: GgufMetadata): Record<string, unknown> | undefined {
  const type = metadata.optionalText(key('rope.scaling.type')) ?? 'none';
  if (type === 'none') return undefined;
  // Other kinds have keys that differ from those of config.json.
  if (type !== 'linear') metadata.refuse(key('rope.scaling.type'), 'expected "none" or "linear"');
  const original = metadata.optionalNumber(key('rope.scaling.original_context_length'));
  return {
    rope_type: type,
    factor: metadata.optionalFloat(key('rope.scaling.factor')) ?? 1,
    ...(original === undefined ? {} : { original_max_position_embeddings: original }),
  };
}
