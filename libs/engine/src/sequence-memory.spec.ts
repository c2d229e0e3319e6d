/** @file What computing over sequences does where memory has room for little. */
import { initializeWeights, parameterShapes, parseModelConfig } from '@espalier/model';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { ParameterStore } from './parameter-store.js';
import { SequenceModel, type SequenceWeights } from './sequence-model.js';

const config = parseModelConfig({
  model_type: 'llama',
  vocab_size: 61,
  hidden_size: 32,
  num_hidden_layers: 2,
  num_attention_heads: 4,
  num_key_value_heads: 2,
  intermediate_size: 48,
  max_position_embeddings: 640,
  tie_word_embeddings: true,
});

function openWeights(): SequenceWeights {
  const store = new ParameterStore(parameterShapes(config, 'policy'));
  for (const [name, { data }] of initializeWeights(config, 4)) store.writableWeight(name).data.set(data);
  return { model: { role: 'policy' }, store, frozen: [] };
}

/** Keeps one session, as of a large model. */
const openModel = (microBatchTokens = 2048): SequenceModel =>
  new SequenceModel({
    config,
    session: { provider: 'cpu', threads: 1 },
    threads: 1,
    microBatchTokens,
    deviceBytes: 1,
  });

const requestOf = (length: number) => ({
  tokens: Int32Array.from({ length }, (_, t) => (t * 31 + length) % 61),
  positions: Int32Array.from({ length: length - 1 }, (_, i) => i + 1),
});

afterEach(() => vi.restoreAllMocks());

describe('scoring where one session is kept', () => {
  it('answers calls that come together as if each came alone', async () => {
    const weights = openWeights();
    const lengths = [20, 200, 400, 600, 30, 210];
    const alone = openModel();
    const expected: unknown[] = [];
    for (const length of lengths) expected.push(await alone.score(weights, [requestOf(length)]));
    await alone.dispose();
    const model = openModel();
    const answers = lengths.map((length) => model.score(weights, [requestOf(length)]));
    expect(await Promise.all(answers)).toEqual(expected);
    await model.dispose();
  });
});
