import { estimateModel, parseModelConfig } from '@espalier/model';
import { describe, expect, it } from 'vitest';
import { chooseMicroBatchTokens, chooseRecompute } from './memory-choice.js';

/** The shape of SmolLM2-135M. */
const config = parseModelConfig({
  model_type: 'llama',
  vocab_size: 49152,
  hidden_size: 576,
  num_hidden_layers: 30,
  num_attention_heads: 9,
  num_key_value_heads: 3,
  intermediate_size: 1536,
  max_position_embeddings: 8192,
  tie_word_embeddings: true,
});
const { parameterCount } = estimateModel(config, { batchTokens: 1, contextLength: 1, rows: 1 });
const lora = { config, parameterCount: parameterCount + 5e6, trainedCount: 5e6 };
const full = { config, parameterCount, trainedCount: parameterCount };

describe('the tokens of a micro-batch', () => {
  it.each([
    ['as wanted where memory is plenty', lora, 64, 8192, false],
    ['half of it on a laptop', lora, 16, 4096, false],
    ['a quarter', lora, 8, 2048, false],
    ['not below 2048 before layers are recomputed', full, 8, 2048, true],
    ['less where that is not enough', full, 4.5, 256, true],
    ['as few as there can be where nothing fits', full, 1, 64, true],
  ])('are %s', (_, needs, gigabytes, tokens, recomputes) => {
    const all = { ...needs, memoryBytes: gigabytes * 1e9 };
    expect(chooseMicroBatchTokens('auto', 8192, all)).toBe(tokens);
    expect(chooseRecompute('auto', { ...all, microBatchTokens: tokens })).toBe(recomputes);
  });

  it('follow the option recompute', () => {
    const needs = { ...lora, memoryBytes: 6e9 };
    expect(chooseMicroBatchTokens('on', 8192, needs)).toBe(8192);
    expect(chooseMicroBatchTokens('off', 8192, needs)).toBe(1024);
  });

  it('are never more than wanted', () => {
    expect(chooseMicroBatchTokens('auto', 64, { ...lora, memoryBytes: 1e12 })).toBe(64);
    expect(chooseMicroBatchTokens('auto', 80, { ...lora, memoryBytes: 1 })).toBe(64);
  });
});
