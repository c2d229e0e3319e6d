/** @file The architecture of a model that is made here: that of the built-in one. */
import { parseModelConfig } from './families.js';
import type { ModelConfig, ModelShape } from './model-family.js';

/** Sizes of a new model, and the ids of its tokenizer. */
export type NewModel = Pick<
  ModelShape,
  | 'vocabularySize'
  | 'hiddenSize'
  | 'layerCount'
  | 'headCount'
  | 'keyValueHeadCount'
  | 'intermediateSize'
  | 'contextLength'
> & { readonly endOfTurn: number; readonly pad: number };

/** Describes a new model: a Llama with a tied head. @throws model.unsupported_config for sizes that do not fit */
export function describeNewModel(model: NewModel): ModelConfig {
  return parseModelConfig({
    model_type: 'llama',
    vocab_size: model.vocabularySize,
    hidden_size: model.hiddenSize,
    num_hidden_layers: model.layerCount,
    num_attention_heads: model.headCount,
    num_key_value_heads: model.keyValueHeadCount,
    intermediate_size: model.intermediateSize,
    max_position_embeddings: model.contextLength,
    rms_norm_eps: 1e-5,
    rope_theta: 10000,
    tie_word_embeddings: true,
    bos_token_id: null,
    eos_token_id: model.endOfTurn,
    pad_token_id: model.pad,
  });
}
