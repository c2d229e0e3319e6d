/**
 * @file Architectures of GGUF files and the families of Hugging Face that they are: names of tensors, rows that are stored in
 * another order, norms that are stored with another center.
 */
import type { ModelConfig } from '../families/model-family.js';
import { EMBEDDING, FINAL_NORM, OUTPUT_HEAD } from '../model-weights.js';
import type { GgufMetadata } from './gguf-metadata.js';

export interface GgufArchitecture {
  /** `general.architecture` */
  readonly id: string;
  /** `model_type` and `architectures` of config.json */
  readonly modelType: string;
  readonly architecture: string;
  /** rows of queries and keys lie in the order of interleaved pairs, not of halves */
  readonly isInterleaved?: boolean;
  /** llama.cpp reads what frequencies are divided by from a tensor */
  readonly hasRotaryFactors?: boolean;
  /** llama.cpp takes all heads of queries together to be as wide as the model */
  readonly hasFixedHeads?: boolean;
  /** norms have 1 added to them */
  readonly hasShiftedNorms?: boolean;
  /** names of tensors of a layer, if not those of Llama */
  readonly layerNames?: Readonly<Record<string, string>>;
}

const llamaNames: Readonly<Record<string, string>> = {
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

/** Norms behind attention and the feed-forward layer; where there are two more, these stand before. */
const normsBehind: Readonly<Record<string, string>> = {
  ...llamaNames,
  post_attention_norm: 'post_attention_layernorm',
  ffn_norm: 'pre_feedforward_layernorm',
  post_ffw_norm: 'post_feedforward_layernorm',
};

const architectures: readonly GgufArchitecture[] = [
  {
    id: 'llama',
    modelType: 'llama',
    architecture: 'LlamaForCausalLM',
    isInterleaved: true,
    hasRotaryFactors: true,
  },
  { id: 'qwen2', modelType: 'qwen2', architecture: 'Qwen2ForCausalLM', hasFixedHeads: true },
  { id: 'qwen3', modelType: 'qwen3', architecture: 'Qwen3ForCausalLM' },
  { id: 'smollm3', modelType: 'smollm3', architecture: 'SmolLM3ForCausalLM', isInterleaved: true },
  {
    id: 'olmo2',
    modelType: 'olmo2',
    architecture: 'Olmo2ForCausalLM',
    hasFixedHeads: true,
    layerNames: normsBehind,
  },
  {
    id: 'gemma2',
    modelType: 'gemma2',
    architecture: 'Gemma2ForCausalLM',
    hasShiftedNorms: true,
    layerNames: normsBehind,
  },
  {
    id: 'gemma3',
    modelType: 'gemma3_text',
    architecture: 'Gemma3ForCausalLM',
    hasShiftedNorms: true,
    layerNames: normsBehind,
  },
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

/** The name of a parameter in Hugging Face's checkpoints; undefined for one that no family here has. */
export function parameterNameOf(
  tensor: string,
  { layerNames = llamaNames }: GgufArchitecture,
): string | undefined {
  if (Object.hasOwn(outerNames, tensor)) return outerNames[tensor];
  const [, layer = '', name = '', kind = ''] = /^blk\.(\d+)\.(\w+)\.(weight|bias)$/.exec(tensor) ?? [];
  return Object.hasOwn(layerNames, name) ? `model.layers.${layer}.${layerNames[name]}.${kind}` : undefined;
}

/** The name of a parameter in a GGUF file. */
export function tensorNameOf(
  parameter: string,
  { layerNames = llamaNames }: GgufArchitecture,
): string | undefined {
  const outer = Object.entries(outerNames).find(([, name]) => name === parameter);
  if (outer !== undefined) return outer[0];
  const [, layer = '', path = '', kind = ''] =
    /^model\.layers\.(\d+)\.([\w.]+)\.(weight|bias)$/.exec(parameter) ?? [];
  const inner = Object.entries(layerNames).find(([, name]) => name === path);
  return inner === undefined ? undefined : `blk.${layer}.${inner[0]}.${kind}`;
}

/** Tells whether a parameter's rows lie in another order: those of queries and keys that are rotated. */
export const isRotated = (parameter: string): boolean => /\.self_attn\.[qk]_proj\./.test(parameter);
