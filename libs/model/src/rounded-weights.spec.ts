import { describe, expect, it } from 'vitest';
import { parseModelConfig } from './families/families.js';
import { initializeWeights } from './initialize-weights.js';
import { roundSamplingWeights } from './rounded-weights.js';
import { encodeBfloat16 } from './weights/float16.js';

describe('roundSamplingWeights', () => {
  const config = (isTied: boolean) =>
    parseModelConfig({
      model_type: 'llama',
      vocab_size: 61,
      hidden_size: 40,
      num_hidden_layers: 1,
      num_attention_heads: 4,
      num_key_value_heads: 2,
      intermediate_size: 48,
      max_position_embeddings: 64,
      tie_word_embeddings: isTied,
    });
  const weights = initializeWeights(config(false), 5);
  const find = (name: string) => weights.get(name)?.data;
  const allocate = (length: number) => new Uint16Array(length);

  it('rounds tables and matrices to bfloat16, joined projections below each other', async () => {
    const rounded = await roundSamplingWeights(config(false), { find, write: () => undefined }, allocate);
    const layer = 'model.layers.0.self_attn';
    const joined = ['q_proj', 'k_proj'].flatMap((name) => [...find(`${layer}.${name}.weight`)!]);
    const name = [...rounded.keys()].find((key) => key.includes('q_proj') && key.includes('k_proj'));
    expect([...rounded.get(name!)!]).toEqual(joined.map(encodeBfloat16));
    expect([...rounded.get('embedding')!]).toEqual(
      [...find('model.embed_tokens.weight')!].map(encodeBfloat16),
    );
    expect([...rounded.keys()].filter((key) => key.includes('norm'))).toEqual([]);
  });

  it('gives the same of weights that have to be computed first', async () => {
    const lying = await roundSamplingWeights(config(false), { find, write: () => undefined }, allocate);
    const write = (name: string, target: Float32Array): void => target.set(find(name)!);
    const computed = await roundSamplingWeights(config(false), { find: () => undefined, write }, allocate);
    expect(computed).toEqual(lying);
  });

  it('holds a head once that is tied to the embedding', async () => {
    const tied = await roundSamplingWeights(config(true), { find, write: () => undefined }, allocate);
    expect(tied.get('head')).toBe(tied.get('embedding'));
  });
});
