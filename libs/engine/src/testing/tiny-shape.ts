/** @file A model for tests that has one of everything: two layers, fewer heads for keys, sizes that are no powers of two. */

export const tinyShape = {
  model_type: 'llama',
  vocab_size: 61,
  hidden_size: 32,
  num_hidden_layers: 2,
  num_attention_heads: 4,
  num_key_value_heads: 2,
  intermediate_size: 48,
  max_position_embeddings: 160,
  tie_word_embeddings: false,
} as const;

/** An optimizer step with every option in use. */
export const plainStep = {
  learningRate: 1e-2,
  beta1: 0.9,
  beta2: 0.99,
  epsilon: 1e-8,
  weightDecay: 0.1,
  maxGradientNorm: 1,
} as const;
