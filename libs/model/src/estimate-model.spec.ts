import { describe, expect, it } from 'vitest';
import { estimateModel } from './estimate-model.js';
import { parseModelConfig } from './families/families.js';

const config = {
  model_type: 'llama',
  vocab_size: 512,
  hidden_size: 256,
  num_hidden_layers: 6,
  num_attention_heads: 8,
  intermediate_size: 704,
  max_position_embeddings: 1024,
};
const options = { batchTokens: 8192, contextLength: 512, rows: 128 };

describe('estimateModel', () => {
  it('counts the parameters of a known shape', () => {
    const untied = estimateModel(parseModelConfig({ ...config, tie_word_embeddings: false }), options);
    expect(untied.parameterCount).toBe(2 * 512 * 256 + 6 * (4 * 256 * 256 + 3 * 256 * 704 + 2 * 256) + 256);
    const tied = estimateModel(parseModelConfig({ ...config, tie_word_embeddings: true }), options);
    expect(untied.parameterCount - tied.parameterCount).toBe(512 * 256);
    expect(untied.trainingFlopPerToken).toBe(tied.trainingFlopPerToken);
  });

  it('needs a third of the cache with a third of the key/value heads', () => {
    const wide = { ...config, num_attention_heads: 6, head_dim: 32 };
    const all = estimateModel(parseModelConfig(wide), options);
    const grouped = estimateModel(parseModelConfig({ ...wide, num_key_value_heads: 2 }), options);
    expect(grouped.cacheBytes * 3).toBe(all.cacheBytes);
    expect(all.cacheBytes).toBe(4 * 2 * 6 * 128 * 6 * 32 * 512);
  });
});
