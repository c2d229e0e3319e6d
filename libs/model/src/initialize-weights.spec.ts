import { describe, expect, it } from 'vitest';
import { parseModelConfig } from './families/families.js';
import { initializeWeights } from './initialize-weights.js';

const config = parseModelConfig({
  model_type: 'llama',
  vocab_size: 300,
  hidden_size: 64,
  num_hidden_layers: 2,
  num_attention_heads: 4,
  intermediate_size: 96,
  max_position_embeddings: 32,
  tie_word_embeddings: true,
});

const deviation = (values: Float32Array) =>
  Math.sqrt(values.reduce((sum, value) => sum + value * value, 0) / values.length);

describe('initializeWeights', () => {
  const weights = initializeWeights(config, 3);
  const of = (name: string) => deviation(weights.get(name)!.data);

  it('gives matrices and embeddings the deviation 1/√inputs, outputs of a block less, norms ones', () => {
    expect(of('model.embed_tokens.weight') * 8).toBeCloseTo(1, 1);
    expect(of('model.layers.0.self_attn.q_proj.weight') * 8).toBeCloseTo(1, 1);
    expect(of('model.layers.1.mlp.down_proj.weight') * Math.sqrt(96) * 2).toBeCloseTo(1, 1);
    expect(weights.get('model.norm.weight')!.data.every((value) => value === 1)).toBe(true);
  });

  it('depends on the seed and on nothing else', () => {
    expect(initializeWeights(config, 3)).toEqual(weights);
    expect(initializeWeights(config, 4)).not.toEqual(weights);
  });
});
