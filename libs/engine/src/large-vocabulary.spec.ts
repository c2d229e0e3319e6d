/** @file Drawing from a vocabulary that is searched in blocks, in the engine that users have. */
import type { SampleRequest } from '@espalier/contracts';
import { initializeWeights, parseModelConfig } from '@espalier/model';
import { describe, expect, it } from 'vitest';
import { createEmbeddedEngine } from './embedded-engine.js';

const V = 3001; // above the size that is searched in one go, and no multiple of a block

function requests(count: number, topP: number): SampleRequest[] {
  return Array.from({ length: count }, (_, i) => ({
    sequence: `s${i}`,
    tokens: Int32Array.of(1, 2 + (i % 7), 5),
    params: { temperature: 1, topP, topK: 0, maxTokens: 6, stopTokens: [], stopSequences: [] },
    seed: 100 + i,
  }));
}

describe('drawing from a large vocabulary', () => {
  const config = parseModelConfig({
    model_type: 'llama',
    vocab_size: V,
    hidden_size: 16,
    intermediate_size: 24,
    num_hidden_layers: 2,
    num_attention_heads: 4,
    num_key_value_heads: 2,
    max_position_embeddings: 64,
    tie_word_embeddings: true,
  });
  const weights = initializeWeights(config, 5);

  it.each([1, 0.9])('gives a sequence the same tokens alone and in company (top-p %d)', async (topP) => {
    const engine = await createEmbeddedEngine({ config, weights, threads: 1 });
    const together = await Promise.all(requests(9, topP).map((request) => engine.policy.sample(request)));
    engine.policy.release(requests(9, topP).map(({ sequence }) => sequence));
    for (const [i, request] of requests(9, topP).entries()) {
      const alone = await engine.policy.sample(request);
      expect(alone.tokens).toEqual(together[i]?.tokens);
      expect(alone.logprobs).toEqual(together[i]?.logprobs);
    }
    await engine.dispose();
  });

  it('draws each token as often as its probability says', async () => {
    const engine = await createEmbeddedEngine({ config, weights, threads: 1 });
    const draws = requests(4000, 1).map((request) => ({
      ...request,
      tokens: Int32Array.of(1, 2, 5),
      params: { ...request.params, temperature: 0.2, maxTokens: 1 },
    }));
    const results = await Promise.all(draws.map((request) => engine.policy.sample(request)));
    const counts = new Map<number, { count: number; probability: number }>();
    for (const { tokens, logprobs } of results) {
      const token = tokens[0] as number;
      const entry = counts.get(token) ?? { count: 0, probability: Math.exp(logprobs[0] as number) };
      counts.set(token, { ...entry, count: entry.count + 1 });
    }
    expect(Math.max(...counts.keys())).toBeLessThan(V);
    const frequent = [...counts.values()].filter(({ probability }) => probability > 0.003);
    expect(frequent.length).toBeGreaterThan(10);
    for (const { count, probability } of frequent) {
      const mean = results.length * probability;
      expect(Math.abs(count - mean)).toBeLessThan(5 * Math.sqrt(mean));
    }
    const surprise =
      -results.reduce((sum, { logprobs }) => sum + (logprobs[0] as number), 0) / results.length;
    expect(Math.abs(surprise - (results[0]?.entropies[0] as number))).toBeLessThan(0.1);
    await engine.dispose();
  });
});
