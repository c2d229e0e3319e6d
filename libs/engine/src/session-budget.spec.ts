import { parseModelConfig } from '@espalier/model';
import { describe, expect, it } from 'vitest';
import { estimateKeptSessions } from './session-budget.js';

const small = parseModelConfig({
  model_type: 'llama',
  vocab_size: 512,
  hidden_size: 192,
  num_hidden_layers: 5,
  num_attention_heads: 6,
  num_key_value_heads: 3,
  intermediate_size: 512,
  max_position_embeddings: 1024,
});
const large = parseModelConfig({
  model_type: 'llama',
  vocab_size: 49152,
  hidden_size: 576,
  num_hidden_layers: 30,
  num_attention_heads: 9,
  intermediate_size: 1536,
  max_position_embeddings: 2048,
});

describe('estimateKeptSessions', () => {
  it('keeps values, policy and critic of four widths for a small model', () => {
    expect(estimateKeptSessions(small, 2048)).toBeGreaterThanOrEqual(12);
  });

  it('keeps fewer the larger their micro-batches are', () => {
    expect(estimateKeptSessions(small, 8192)).toBeLessThan(5);
    expect(estimateKeptSessions(small, 1)).toBe(16);
  });

  it('keeps only the one that runs for a large model', () => {
    expect(estimateKeptSessions(large, 2048)).toBe(1);
  });

  it('keeps those of all layouts of a large model on a GPU where layers are recomputed', () => {
    expect(estimateKeptSessions(large, 4096, { bytes: 80e9, recomputes: false })).toBeLessThan(8);
    expect(estimateKeptSessions(large, 4096, { bytes: 80e9, recomputes: true })).toBe(16);
  });
});
