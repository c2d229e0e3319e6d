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
      { model_type: 'gemma' },
      'config.json: model_type "gemma" is not supported; expected one of "gemma2", "gemma3_text", "llama", ',
    ],
    [{ model_type: 'qwen3_moe' }, 'model_type "qwen3_moe" is not supported'],
    [
      { architectures: ['PhiForCausalLM'] },
      'model_type is missing and architectures is ["PhiForCausalLM"]; expected one of "gemma2", ',
    ],
    [{}, 'model_type is missing; expected one of'],
    [
      { model_type: 'llama', architectures: ['LlamaForSequenceClassification'] },
      'architectures.0 is "LlamaForSequenceClassification"; expected "LlamaForCausalLM"',
    ],
    [
      { model_type: 'llama', sliding_window: 32 },
      'sliding_window 32 is not supported for model_type "llama"; expected null',
    ],
    [{ model_type: 'olmo2', layer_types: ['sliding_attention'] }, 'expected "full_attention"'],
    [{ model_type: 'gemma2', layer_types: ['chunked_attention'] }, 'layer_types.0 is "chunked_attention"'],
    [{ model_type: 'gemma2', layer_types: [] }, 'layer_types has 0 entries; expected one per layer, 1'],
    [{ model_type: 'gemma2', sliding_window: null }, 'there is no sliding_window'],
    [{ model_type: 'mistral', layer_types: ['full_attention'] }, 'layer_types is ["full_attention"]'],
    [
      { model_type: 'smollm3', no_rope_layers: [] },
      'no_rope_layers has 0 entries; expected one per layer, 1',
    ],
    [{ model_type: 'smollm3', no_rope_layers: [2] }, 'no_rope_layers.0 is 2'],
    [{ model_type: 'mistral', attention_bias: true }, 'attention_bias is true; expected false'],
    [{ model_type: 'qwen2', mlp_bias: true }, 'mlp_bias is true; expected false'],
    [{ model_type: 'llama', hidden_act: 'gelu' }, 'hidden_act is "gelu"; expected "silu"'],
    [{ model_type: 'gemma2', hidden_activation: 'silu' }, 'hidden_activation is "silu"'],
    [{ model_type: 'gemma2', use_bidirectional_attention: true }, 'use_bidirectional_attention is true'],
    [{ model_type: 'gemma3_text', attn_logit_softcapping: 50 }, 'attn_logit_softcapping is 50'],
    [
      { model_type: 'gemma3_text', rope_parameters: { rope_type: 'default' } },
      'rope_parameters is not told apart by layer_types',
    ],
    [
      { model_type: 'qwen2', rope_scaling: { type: 'dynamic', factor: 4 } },
      'rope_type "dynamic" is not supported; expected "default", "linear", "llama3" or "yarn"',
    ],
    [
      { model_type: 'llama', rope_scaling: { type: 'linear' } },
      'rope_type is "linear" and its factor is missing',
    ],
    [
      { model_type: 'llama', rope_scaling: { rope_type: 'llama3', factor: 8, low_freq_factor: 1 } },
      'its high_freq_factor is missing',
    ],
    [
      {
        model_type: 'llama',
        rope_scaling: { rope_type: 'llama3', factor: 8, low_freq_factor: 4, high_freq_factor: 4 },
      },
      'high_freq_factor is 4; expected more than low_freq_factor 4',
    ],
    [{ model_type: 'llama', rope_parameters: { factor: 4 } }, 'rope_type is "default" and its factor is 4'],
    [
      { model_type: 'llama', rope_parameters: {}, rope_scaling: { type: 'linear', factor: 2 } },
      'rope_scaling and rope_parameters are both given',
    ],
    [
      { model_type: 'llama', rope_parameters: { partial_rotary_factor: 0.5 } },
      'partial_rotary_factor is 0.5',
    ],
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

  const windowsOf = (given: object) => parse(given).shape.attention.map(({ window }) => window);

  it('gives windows to the layers that have them', () => {
    const layers = { num_hidden_layers: 4, sliding_window: 32 };
    const none = [undefined, undefined, undefined, undefined];
    expect(windowsOf({ ...layers, model_type: 'mistral' })).toEqual([32, 32, 32, 32]);
    expect(windowsOf({ ...layers, model_type: 'gemma2' })).toEqual([32, undefined, 32, undefined]);
    const pattern = { ...layers, model_type: 'gemma3_text', sliding_window_pattern: 3 };
    expect(windowsOf(pattern)).toEqual([32, 32, undefined, 32]);
    const qwen = { ...layers, model_type: 'qwen2', max_window_layers: 3 };
    expect(windowsOf({ ...qwen, use_sliding_window: true })).toEqual([undefined, undefined, undefined, 32]);
    expect(windowsOf(qwen)).toEqual(none);
    const types = [...Array<string>(3).fill('full_attention'), 'sliding_attention'];
    const smol = { ...layers, model_type: 'smollm3', use_sliding_window: true };
    expect(windowsOf({ ...smol, layer_types: types })).toEqual([undefined, undefined, undefined, 32]);
    expect(windowsOf({ ...layers, model_type: 'mistral', sliding_window: 8192 })).toEqual(none);
  });

  it('leaves the rotation out where SmolLM3 does', () => {
    const rotates = (given: object) =>
      parse({ model_type: 'smollm3', num_hidden_layers: 5, ...given }).shape.attention.map(
        ({ rotary }) => rotary !== undefined,
      );
    expect(rotates({})).toEqual([true, true, true, false, true]);
    expect(rotates({ no_rope_layer_interval: 2 })).toEqual([true, false, true, false, true]);
    expect(rotates({ no_rope_layers: [0, 1, 1, 1, 1] })).toEqual([false, true, true, true, true]);
  });

  it('reads scaled positions in the notation of today and that of older files', () => {
    const scaling = { rope_type: 'yarn', factor: 4, original_max_position_embeddings: 2048 };
    const rotary = {
      theta: 5e5,
      scaling: {
        type: 'yarn',
        factor: 4,
        originalLength: 2048,
        betaFast: 32,
        betaSlow: 1,
        isTruncated: true,
        attentionFactor: 0.1 * Math.log(4) + 1,
      },
    };
    for (const given of [
      { rope_theta: 5e5, rope_scaling: scaling },
      { rope_theta: 5e5, rope_scaling: { ...scaling, rope_type: undefined, type: 'yarn' } },
      { rope_parameters: { ...scaling, rope_theta: 5e5 } },
    ])
      expect(parse({ model_type: 'qwen3', ...given }).shape.attention[0]).toMatchObject({ rotary });
    const linear = parse({ model_type: 'llama', rope_scaling: { type: 'linear', factor: 2 } });
    expect(linear.shape.attention[0]?.rotary).toEqual({
      theta: 10000,
      scaling: { type: 'linear', factor: 2 },
    });
  });

  it('rotates local and global layers of Gemma 3 by their own bases', () => {
    const layers = { model_type: 'gemma3_text', num_hidden_layers: 6 };
    const full = { rope_type: 'linear', factor: 8, rope_theta: 2e6 };
    for (const [given, local, whole] of [
      [{}, { theta: 1e4 }, { theta: 1e6 }],
      [
        { rope_theta: 2e6, rope_local_base_freq: 300, rope_scaling: { rope_type: 'linear', factor: 8 } },
        { theta: 300 },
        { theta: 2e6, scaling: { type: 'linear', factor: 8 } },
      ],
      [
        { rope_parameters: { full_attention: full, sliding_attention: { rope_theta: 300 } } },
        { theta: 300 },
        { theta: 2e6, scaling: { type: 'linear', factor: 8 } },
      ],
    ]) {
      const { attention } = parse({ ...layers, ...given }).shape;
      expect([attention[0]?.rotary, attention[5]?.rotary]).toEqual([local, whole]);
    }
  });

  it('fills in the defaults of transformers', () => {
    expect(parse({ model_type: 'qwen3' }).shape).toMatchObject({
      headSize: 128,
      queryKeyNorm: 'head',
      hasAttentionBias: false,
      normEpsilon: 1e-6,
      attention: [{ scale: 1 / Math.sqrt(128), rotary: { theta: 10000 } }],
      isTied: false,
    });
  });
});

/**
 * What transformers 5.23 fills in for each family where config.json does not say: rms_norm_eps, num_key_value_heads
 * (null: as many as query heads), rope_theta, tie_word_embeddings, attention_bias, head_dim (null: from the sizes).
 */
const defaults = [
  ['gemma2', 1e-6, 4, 10000, true, false, 256],
  ['gemma3_text', 1e-6, 4, 1e6, true, false, 256],
  ['llama', 1e-6, null, 10000, false, false, null],
  ['mistral', 1e-6, 8, 10000, false, false, null],
  ['olmo2', 1e-5, null, 10000, false, false, null],
  ['qwen2', 1e-6, 32, 10000, false, true, null],
  ['qwen3', 1e-6, 32, 10000, false, false, 128],
  ['smollm3', 1e-6, 4, 2e6, true, false, null],
] as const;

it.each(defaults)(
  '%s has the defaults of transformers',
  (type, epsilon, heads, theta, isTied, bias, headSize) => {
    const { num_key_value_heads: _heads, ...rest } = sizes;
    // 32 heads, and as many layers as it takes until one of Gemma 3 sees everything
    const json = {
      ...rest,
      hidden_size: 128,
      num_attention_heads: 32,
      num_hidden_layers: 6,
      model_type: type,
    };
    const { shape } = parseModelConfig(json);
    expect(shape).toMatchObject({
      normEpsilon: epsilon,
      keyValueHeadCount: heads ?? 32,
      isTied,
      hasAttentionBias: bias,
      headSize: headSize ?? 4,
    });
    expect(shape.attention.map((its) => its.rotary?.theta)).toContain(theta);
  },
);

it.each(['llama', 'olmo2', 'qwen2', 'qwen3', 'smollm3'])('%s takes null for as many key heads', (type) => {
  expect(parse({ model_type: type, num_key_value_heads: null }).shape.keyValueHeadCount).toBe(4);
});
