import { describe, expect, it } from 'vitest';
import { parseModelConfig } from './families.js';

const sizes = {
  vocab_size: 48,
  hidden_size: 16,
  num_hidden_layers: 1,
  num_attention_heads: 4,
  num_key_value_heads: 2,
  intermediate_size: 24,
  max_position_embeddings: 8192,
};
const parse = (given: object) => parseModelConfig({ ...sizes, ...given });

describe('parseModelConfig', () => {
  it('finds the family by model_type, or by architectures where that is absent', () => {
    expect(parse({ model_type: 'qwen2' }).family.modelType).toBe('qwen2');
    expect(parse({ architectures: ['Qwen3ForCausalLM'] }).family.modelType).toBe('qwen3');
  });

  it.each([
    [
      { model_type: 'gemma2' },
      'config.json: model_type "gemma2" is not supported; expected one of "llama", ',
    ],
    [{ model_type: 'qwen3_moe' }, 'model_type "qwen3_moe" is not supported'],
    [
      { architectures: ['PhiForCausalLM'] },
      'model_type is missing and architectures is ["PhiForCausalLM"]; expected one of "llama", "mistral", "qwen2"',
    ],
    [{}, 'model_type is missing; expected one of'],
    [
      { model_type: 'llama', architectures: ['LlamaForSequenceClassification'] },
      'architectures.0 is "LlamaForSequenceClassification"; expected "LlamaForCausalLM"',
    ],
    [{ model_type: 'mistral' }, 'sliding_window 4096 is not supported'],
    [
      { model_type: 'qwen2', use_sliding_window: true, sliding_window: 32 },
      'sliding_window 32 is not supported',
    ],
    [{ model_type: 'llama', attention_bias: true }, 'attention_bias is true; expected false'],
    [{ model_type: 'qwen2', rope_scaling: { type: 'yarn', factor: 4 } }, 'rope_type "yarn" is not supported'],
  ])('refuses %j', (given, sentence) => {
    expect(() => parse(given)).toThrow(
      expect.objectContaining({
        code: 'model.unsupported_config',
        message: expect.stringContaining(sentence),
      }),
    );
  });

  it.each([null, [], 'llama', 7])('refuses %j, which is no object', (value) => {
    expect(() => parseModelConfig(value)).toThrow(/config\.json: not a JSON object/);
  });

  it('accepts a sliding window that no sequence outgrows or that is not used', () => {
    expect(parse({ model_type: 'mistral', sliding_window: 8192 }).shape.contextLength).toBe(8192);
    expect(parse({ model_type: 'qwen2', sliding_window: 32 }).shape.hasAttentionBias).toBe(true);
  });

  it('fills in the defaults of transformers', () => {
    expect(parse({ model_type: 'qwen3' }).shape).toMatchObject({
      headSize: 128,
      hasHeadNorms: true,
      hasAttentionBias: false,
      normEpsilon: 1e-6,
      ropeTheta: 10000,
      isTied: false,
    });
  });
});
