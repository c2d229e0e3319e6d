/** @file Adapters of an output head that is not tied to the embeddings. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Datum, PolicyModel } from '@espalier/contracts';
import { neg } from '@espalier/graph';
import { initializeWeights, parseModelConfig, saveModelFolder } from '@espalier/model';
import { loadAdapter, mergeAdapter } from '@espalier/model/adapters';
import type { LossBuilder } from '@espalier/objective';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createEmbeddedEngine } from './embedded-engine.js';

const config = parseModelConfig({
  model_type: 'llama',
  vocab_size: 300,
  hidden_size: 32,
  num_hidden_layers: 2,
  num_attention_heads: 4,
  num_key_value_heads: 2,
  intermediate_size: 48,
  max_position_embeddings: 128,
  tie_word_embeddings: false,
});
const lora = { rank: 2, alpha: 4, rankStabilized: false, dropout: 0, targets: ['v_proj', 'lm_head'] };
const nll = {
  id: 'nll',
  params: {},
  columns: [],
  build: (({ logprobs }) => ({ perToken: neg(logprobs), metrics: {} })) satisfies LossBuilder,
};
const adamW = {
  learningRate: 0.05,
  beta1: 0.9,
  beta2: 0.99,
  epsilon: 1e-8,
  weightDecay: 0,
  maxGradientNorm: 1,
};
const tokens = Int32Array.from({ length: 24 }, (_, i) => (i * 37) % 300);
const datum: Datum = {
  tokens,
  positions: Int32Array.from({ length: 23 }, (_, i) => i + 1),
  weights: new Float32Array(23).fill(1 / 23),
  columns: {},
};

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'head-'));
  saveModelFolder(join(root, 'base'), { config, weights: initializeWeights(config, 3), dtype: 'float32' });
});
afterEach(() => rmSync(root, { recursive: true }));

const scoresOf = async (policy: PolicyModel): Promise<number[]> => [
  ...((await policy.score([datum]))[0]?.logprobs ?? []),
];

function expectClose(found: readonly number[], expected: readonly number[]): void {
  expect(found).toHaveLength(expected.length);
  found.forEach((value, i) => expect(Math.abs(value - (expected[i] as number))).toBeLessThan(1e-5));
}

it.each(['float32', 'bfloat16'] as const)('learn on a base in %s, and merge', async (baseDtype) => {
  const engine = await createEmbeddedEngine({
    folder: join(root, 'base'),
    threads: 1,
    lora: { ...lora, critic: 'adapter', seed: 1, baseDtype },
  });
  const critic = await engine.openCritic();
  expect((await critic.values([datum]))[0]).toHaveLength(23);
  const losses: number[] = [];
  for (let step = 0; step < 4; step += 1) {
    losses.push((await engine.policy.forwardBackward([datum], nll)).loss);
    await engine.policy.optimizerStep(adamW);
  }
  expect(losses.at(-1)).toBeLessThan((losses[0] as number) - 0.5);
  const params = { temperature: 1, topP: 1, topK: 0, maxTokens: 12, stopTokens: [], stopSequences: [] };
  const prompt = tokens.slice(0, 6);
  const sampled = await engine.policy.sample({ sequence: 'a', tokens: prompt, params, seed: 5 });
  const [scores] = await engine.policy.score([
    {
      tokens: Int32Array.of(...prompt, ...sampled.tokens),
      positions: Int32Array.from(sampled.tokens, (_, i) => 6 + i),
    },
  ]);
  expectClose([...sampled.logprobs], [...(scores?.logprobs ?? [])]);
  const trained = await scoresOf(engine.policy);
  await engine.policy.save(join(root, 'adapter'), { optimizer: false });
  await engine.dispose();
  const { layers } = loadAdapter(join(root, 'adapter'));
  expect([...layers.keys()].sort()).toEqual([
    'lm_head',
    'model.layers.0.self_attn.v_proj',
    'model.layers.1.self_attn.v_proj',
  ]);
  if (baseDtype !== 'float32') return;
  await mergeAdapter(join(root, 'base'), join(root, 'adapter'), join(root, 'merged'), { dtype: 'float32' });
  const merged = await createEmbeddedEngine({ folder: join(root, 'merged'), threads: 1 });
  expectClose(await scoresOf(merged.policy), trained);
  await merged.dispose();
});
