import { createHash } from 'node:crypto';
import type { Datum } from '@espalier/contracts';
import { initializeWeights, parseModelConfig } from '@espalier/model';
import { describe, expect, it } from 'vitest';
import { createEmbeddedEngine } from './embedded-engine.js';
import { likelihoodLoss } from './testing/plain-losses.js';

/** Widths decide how threads cut a product. */
const shapes = {
  narrow: [64, 160, 300, 4, 2],
  uneven: [96, 128, 400, 4, 2],
  seedling: [192, 512, 512, 6, 3],
} as const;

const hasWindow = ['gemma2', 'gemma3_text', 'mistral'];

function configOf(shape: keyof typeof shapes, family: string) {
  const [hiddenSize, intermediateSize, vocabularySize, heads, keyValueHeads] = shapes[shape];
  return parseModelConfig({
    model_type: family,
    vocab_size: vocabularySize,
    hidden_size: hiddenSize,
    num_hidden_layers: 2,
    num_attention_heads: heads,
    num_key_value_heads: keyValueHeads,
    head_dim: hiddenSize / heads,
    sliding_window: hasWindow.includes(family) ? 24 : null,
    no_rope_layers: [1, 0],
    layer_types: family.startsWith('gemma') ? ['sliding_attention', 'full_attention'] : undefined,
    intermediate_size: intermediateSize,
    max_position_embeddings: 320,
    tie_word_embeddings: true,
  });
}

function dataOf(count: number): Datum[] {
  return Array.from({ length: count }, (_, i) => {
    const length = 20 + ((i * 53) % 270);
    const positions = Int32Array.from({ length: Math.floor(length / 2) }, (_, t) => 2 * t + 1);
    return {
      tokens: Int32Array.from({ length }, (_, t) => (i * 17 + t * t * 3 + t) % 300),
      positions,
      weights: new Float32Array(positions.length).fill(1e-3),
      columns: {},
    };
  });
}

async function trainAndSample(
  threads: number,
  microBatchTokens: number,
  shape: keyof typeof shapes = 'narrow',
  family = 'llama',
) {
  const config = configOf(shape, family);
  const engine = await createEmbeddedEngine({
    config,
    weights: initializeWeights(config, 3),
    threads,
    microBatchTokens,
  });
  const norms: number[] = [];
  for (let step = 0; step < 2; step += 1) {
    await engine.policy.forwardBackward(dataOf(9), likelihoodLoss);
    await engine.policy.forwardBackward(dataOf(2), likelihoodLoss); // fewer rows than columns
    const options = {
      learningRate: 1e-3,
      beta1: 0.9,
      beta2: 0.999,
      epsilon: 1e-8,
      weightDecay: 0.01,
      maxGradientNorm: 1,
    };
    norms.push((await engine.policy.optimizerStep(options)).gradientNorm);
  }
  const params = { temperature: 1, topP: 0.9, topK: 50, maxTokens: 20, stopTokens: [], stopSequences: [] };
  const sampled = await Promise.all(
    dataOf(5).map(({ tokens }, i) =>
      engine.policy.sample({ sequence: `${i}`, tokens: tokens.subarray(0, 20), params, seed: i }),
    ),
  );
  const scores = await engine.policy.score(dataOf(3));
  await engine.dispose();
  const hash = createHash('sha256');
  for (const { logprobs } of [...scores, ...sampled]) hash.update(logprobs);
  return { norms, hash: hash.digest('hex') };
}

describe('a run of training and sampling', () => {
  it.each([
    ['uneven', 'llama'],
    ['seedling', 'llama'],
    ['uneven', 'qwen2'],
    ['uneven', 'qwen3'],
    ['uneven', 'gemma2'],
    ['uneven', 'gemma3_text'],
    ['uneven', 'mistral'],
    ['uneven', 'olmo2'],
    ['uneven', 'smollm3'],
  ] as const)('gives the same bits with one thread and with two: %s %s', async (shape, family) => {
    const two = await trainAndSample(2, 2048, shape, family);
    const one = await trainAndSample(1, 2048, shape, family);
    expect(two).toEqual(one);
  });

  it('does not depend on the size of micro-batches beyond 1e-5', async () => {
    const small = await trainAndSample(1, 320);
    const large = await trainAndSample(1, 8192);
    small.norms.forEach((norm, i) => expect(Math.abs(norm / (large.norms[i] ?? NaN) - 1)).toBeLessThan(1e-5));
  });
});
