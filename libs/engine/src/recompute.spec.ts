/** @file Layers that are computed a second time in the backward pass give the bits of layers that are kept. */
import type { Datum } from '@espalier/contracts';
import {
  add,
  broadcastTo,
  type Dim,
  dim,
  dimProduct,
  estimateGraphCost,
  mul,
  neg,
  reshape,
  stopGradient,
  sum,
} from '@espalier/graph';
import { buildTrainingGraph, initializeWeights, parameterShapes, parseModelConfig } from '@espalier/model';
import type { LossBuilder, ValueLossBuilder } from '@espalier/objective';
import { describe, expect, it } from 'vitest';
import { createEmbeddedEngine } from './embedded-engine.js';
import { chooseRecompute } from './memory-choice.js';
import { ParameterStore } from './parameter-store.js';
import { SequenceModel } from './sequence-model.js';

const sizes = {
  vocab_size: 300,
  hidden_size: 32,
  num_hidden_layers: 4,
  num_attention_heads: 4,
  num_key_value_heads: 2,
  intermediate_size: 80,
  max_position_embeddings: 256,
};

const families = {
  llama: { ...sizes, model_type: 'llama' },
  'qwen2, with biases': { ...sizes, model_type: 'qwen2', tie_word_embeddings: true },
  'qwen3, with norms of heads': { ...sizes, model_type: 'qwen3', head_dim: 16 },
  'gemma2, with windows and soft caps': {
    ...sizes,
    model_type: 'gemma2',
    head_dim: 16,
    query_pre_attn_scalar: 16,
    sliding_window: 24,
    attn_logit_softcapping: 50,
    final_logit_softcapping: 30,
  },
};

const loss = {
  id: 'nll',
  params: {},
  columns: ['factor'],
  build: (({ logprobs, columns }) => ({
    perToken: neg(mul(logprobs, columns['factor'] ?? 1)),
    metrics: {},
  })) satisfies LossBuilder,
};

/** Two groups that share prefixes, so that packed rows, prefixes and padding all occur. */
const data = Array.from({ length: 7 }, (_, i): Datum => {
  const length = 60 + 9 * i;
  const tokens = Int32Array.from({ length }, (__, t) =>
    t < 30 ? t + 40 * (i % 2) : (t * 31 + i * 17) % 300,
  );
  const positions = Int32Array.from({ length: length - 30 }, (__, n) => 30 + n);
  const factor = Float32Array.from(positions, (n) => Math.sin(n));
  return { tokens, positions, weights: new Float32Array(positions.length).fill(0.01), columns: { factor } };
});

async function learn(config: ReturnType<typeof parseModelConfig>, recomputes: boolean) {
  const store = new ParameterStore(parameterShapes(config));
  for (const [name, { data: values }] of initializeWeights(config, 4))
    store.writableWeight(name).data.set(values);
  const session = { provider: 'cpu', threads: 1 } as const;
  const model = new SequenceModel({ config, session, threads: 1, microBatchTokens: 256, recomputes });
  try {
    const weights = { model: { role: 'policy' as const }, store, frozen: [] };
    const { loss: value } = await model.forwardBackward(weights, data, loss);
    return { value, gradients: store.gradients.read().slice() };
  } finally {
    await model.dispose();
  }
}

/** Two steps of a policy with adapters and of its critic: losses, norms, and values behind them. */
async function learnAdapted(
  config: ReturnType<typeof parseModelConfig>,
  { critic: kind, recompute }: { critic: 'adapter' | 'head' | 'model'; recompute: 'on' | 'off' },
) {
  const lora = { rank: 4, alpha: 8, rankStabilized: false, targets: 'all-linear', dropout: 0 } as const;
  const engine = await createEmbeddedEngine({
    config,
    weights: initializeWeights(config, 4),
    threads: 1,
    microBatchTokens: 256,
    recompute,
    lora: { ...lora, critic: kind, seed: 2 },
  });
  const critic = await engine.openCritic();
  const valueLoss = {
    ...loss,
    id: 'value',
    build: (({ values, columns }) => ({
      perToken: mul(add(values, columns['factor'] ?? 1), add(values, columns['factor'] ?? 1)),
      metrics: {},
    })) satisfies ValueLossBuilder,
  };
  const step = {
    learningRate: 0.01,
    beta1: 0.9,
    beta2: 0.99,
    epsilon: 1e-8,
    weightDecay: 0,
    maxGradientNorm: 1,
  };
  const seen: { value: number; gradientNorm: number; last: Float32Array | undefined }[] = [];
  try {
    for (let round = 0; round < 2; round += 1) {
      const ofCritic = await critic.forwardBackward(data, valueLoss);
      const { gradientNorm: criticNorm } = await critic.optimizerStep(step);
      seen.push({ value: ofCritic.loss, gradientNorm: criticNorm, last: ofCritic.values?.[0] });
      const ofPolicy = await engine.policy.forwardBackward(data, loss);
      const { gradientNorm } = await engine.policy.optimizerStep(step);
      seen.push({ value: ofPolicy.loss, gradientNorm, last: ofPolicy.scores?.[0]?.logprobs });
    }
    return seen;
  } finally {
    await engine.dispose();
  }
}

describe('a batch that does not fit', () => {
  const config = parseModelConfig({ ...families.llama, num_hidden_layers: 1 });
  const weights = initializeWeights(config, 4);
  /** needs a petabyte at four loss positions, and 64 MB at two */
  const greedy = {
    ...loss,
    id: 'greedy',
    build: (({ logprobs }) => {
      const [size] = logprobs.shape as [Dim];
      const wide = dimProduct(...Array.from({ length: 23 }, () => size));
      const waste = sum(broadcastTo(reshape(stopGradient(logprobs), [size, 1]), [size, wide]));
      return { perToken: neg(add(logprobs, mul(waste, 0))), metrics: {} };
    }) satisfies LossBuilder,
  };
  const batch = Array.from({ length: 4 }, (_, i): Datum => {
    const tokens = Int32Array.from({ length: 65 }, (__, t) => (t * 31 + i * 17) % 300);
    return {
      tokens,
      positions: Int32Array.of(64),
      weights: Float32Array.of(1),
      columns: { factor: Float32Array.of(1) },
    };
  });
  const open = (microBatchTokens: number) =>
    createEmbeddedEngine({ config, weights, threads: 1, microBatchTokens });

  it('is computed again in smaller parts, with the same result', async () => {
    const engine = await open(512);
    const { loss: value, reductions } = await engine.policy.forwardBackward(batch, greedy);
    expect(reductions).toEqual([
      expect.stringContaining('update.recompute'),
      expect.stringContaining('have 256 tokens'),
      expect.stringContaining('have 128 tokens'),
    ]);
    const step = {
      learningRate: 0,
      beta1: 0.9,
      beta2: 0.99,
      epsilon: 1e-8,
      weightDecay: 0,
      maxGradientNorm: 1,
    };
    const { gradientNorm } = await engine.policy.optimizerStep(step);
    expect((await engine.policy.forwardBackward(batch, greedy)).reductions).toBeUndefined();
    await engine.dispose();
    const small = await open(128);
    expect((await small.policy.forwardBackward(batch, greedy)).loss).toBe(value);
    expect((await small.policy.optimizerStep(step)).gradientNorm).toBe(gradientNorm);
    await small.dispose();
  });

  it('fails after earlier batches, whose gradients are gone', async () => {
    const engine = await open(512);
    await engine.policy.forwardBackward(batch.slice(0, 1), loss);
    await expect(engine.policy.forwardBackward(batch, greedy)).rejects.toMatchObject({
      code: 'runtime.out_of_memory',
    });
    await engine.dispose();
  });
});

describe('the choice to recompute', () => {
  const config = parseModelConfig(families.llama);
  const needs = { config, microBatchTokens: 4096, parameterCount: 1e6, trainedCount: 1e6 };

  it('follows the option, or else the memory', () => {
    expect(chooseRecompute('off', { ...needs, memoryBytes: 1e6 })).toBe(false);
    expect(chooseRecompute('on', { ...needs, memoryBytes: 1e12 })).toBe(true);
    expect(chooseRecompute('auto', { ...needs, memoryBytes: 1e6 })).toBe(true);
    expect(chooseRecompute('auto', { ...needs, memoryBytes: 1e12 })).toBe(false);
  });

  it('counts frozen weights once, and trained ones with all that belongs to them', () => {
    const memoryBytes = 2e9;
    const large = { ...needs, microBatchTokens: 64, parameterCount: 2e8, memoryBytes };
    expect(chooseRecompute('auto', { ...large, trainedCount: 2e8 })).toBe(true);
    expect(chooseRecompute('auto', { ...large, trainedCount: 1e6 })).toBe(false);
  });
});

describe('recomputation', () => {
  it.each(Object.entries(families))('gives the same bits: %s', async (_, json) => {
    const config = parseModelConfig(json);
    const kept = await learn(config, false);
    const again = await learn(config, true);
    expect(again.value).toBe(kept.value);
    expect(again.gradients.some((entry) => entry !== 0)).toBe(true);
    expect(again.gradients).toEqual(kept.gradients);
  });

  it.each(['adapter', 'head', 'model'] as const)(
    'gives the same bits with adapters and a critic: %s',
    async (critic) => {
      const config = parseModelConfig(families['qwen2, with biases']);
      const kept = await learnAdapted(config, { critic, recompute: 'off' });
      const again = await learnAdapted(config, { critic, recompute: 'on' });
      expect(kept.some(({ gradientNorm }) => gradientNorm === 0)).toBe(false);
      expect(again).toEqual(kept);
    },
  );

  it('keeps less than half of what six layers keep', () => {
    const config = parseModelConfig({ ...families.llama, num_hidden_layers: 6 });
    const [kept, again] = [false, true].map((recomputes) => {
      const options = { config, role: 'policy', length: { prefixBlocks: 0, ownBlocks: 2 } } as const;
      const build = ({ logprobs }: { logprobs: Parameters<typeof neg>[0] }) => ({
        perToken: neg(logprobs),
        metrics: {},
      });
      const graph = buildTrainingGraph({ ...options, rows: dim('N'), recomputes }, build, []);
      return estimateGraphCost(graph, new Map(Object.entries({ U: 1024, P: 4, G: 1, R: 128, N: 16 })))
        .peakBytes;
    });
    expect(again).toBeLessThan((kept as number) / 2);
  });
});
