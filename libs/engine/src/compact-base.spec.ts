/** @file A base in fewer bits computes as a float32 base whose weights were rounded before. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Datum } from '@espalier/contracts';
import { mul, neg } from '@espalier/graph';
import { initializeWeights, parseModelConfig, type Weight } from '@espalier/model';
import { type BaseDtype, compactWeight, heldDtype, widenInto } from '@espalier/model/adapters';
import type { LossBuilder, ValueLossBuilder } from '@espalier/objective';
import { describe, expect, it } from 'vitest';
import { createEmbeddedEngine } from './embedded-engine.js';
import type { CriticKind } from './engine-models.js';

const sizes = {
  vocab_size: 300,
  hidden_size: 96,
  num_hidden_layers: 2,
  num_attention_heads: 4,
  num_key_value_heads: 2,
  intermediate_size: 130,
  max_position_embeddings: 256,
};
const families = {
  'llama, untied': { ...sizes, model_type: 'llama', tie_word_embeddings: false },
  'qwen2, tied, with biases': { ...sizes, model_type: 'qwen2', tie_word_embeddings: true },
  'gemma2, scaled and capped': {
    ...sizes,
    model_type: 'gemma2',
    head_dim: 16,
    query_pre_attn_scalar: 16,
    sliding_window: 24,
    attn_logit_softcapping: 50,
    final_logit_softcapping: 30,
  },
  'llama, logits in chunks': { ...sizes, model_type: 'llama', vocab_size: 8200, tie_word_embeddings: true },
};
const compactDtypes = ['bfloat16', 'int8', 'int4'] as const;

const nll = {
  id: 'nll',
  params: {},
  columns: [],
  build: (({ logprobs }) => ({ perToken: neg(logprobs), metrics: {} })) satisfies LossBuilder,
};
const squares = {
  id: 'squares',
  params: {},
  columns: [],
  build: (({ values }) => ({ perToken: mul(values, values), metrics: {} })) satisfies ValueLossBuilder,
};
const adamW = {
  learningRate: 0.01,
  beta1: 0.9,
  beta2: 0.99,
  epsilon: 1e-8,
  weightDecay: 0,
  maxGradientNorm: 1,
};

const data = Array.from({ length: 3 }, (_, i): Datum => {
  const length = 40 + 11 * i;
  const positions = Int32Array.from({ length: length - 10 }, (__, n) => 10 + n);
  return {
    tokens: Int32Array.from({ length }, (__, t) => (t * 31 + i * 17) % 300),
    positions,
    weights: new Float32Array(positions.length).fill(0.01),
    columns: {},
  };
});

type Weights = ReadonlyMap<string, Weight>;

interface Setup {
  readonly baseDtype: BaseDtype;
  readonly recompute?: 'on' | 'off';
  readonly threads?: number;
  readonly critic?: CriticKind;
}

function openEngine(
  json: Record<string, unknown>,
  { baseDtype, recompute = 'off', threads = 1, critic = 'adapter' }: Setup,
  weights: Weights = initializeWeights(parseModelConfig(json), 4),
) {
  const lora = { rank: 4, alpha: 8, rankStabilized: false, targets: 'all-linear', dropout: 0 } as const;
  return createEmbeddedEngine({
    config: parseModelConfig(json),
    weights,
    threads,
    recompute,
    microBatchTokens: 128,
    lora: { ...lora, critic, baseDtype, seed: 2 },
  });
}

type Engine = Awaited<ReturnType<typeof openEngine>>;

/** The weights as they are held, in float32. */
function rounded(json: Record<string, unknown>, base: BaseDtype): Weights {
  const weights = initializeWeights(parseModelConfig(json), 4);
  return new Map(
    [...weights].map(([name, { data: values, shape }]) => {
      const dtype = heldDtype(name, shape, base);
      if (dtype === 'float32') return [name, { data: values, shape }];
      const target = new Float32Array(values.length);
      const read = (part: Float32Array, from: number): void =>
        part.set(values.subarray(from, from + part.length));
      widenInto(compactWeight(shape, dtype, read), target);
      return [name, { data: target, shape }];
    }),
  );
}

/** Everything that two steps of policy and critic show: losses, norms, scores, values, samples. */
async function learn(engine: Engine) {
  const critic = await engine.openCritic();
  const reference = await engine.openReference();
  const seen: unknown[] = [];
  for (let round = 0; round < 2; round += 1) {
    const ofCritic = await critic.forwardBackward(data, squares);
    seen.push(ofCritic.loss, (await critic.optimizerStep(adamW)).gradientNorm, await critic.values(data));
    seen.push(await step(engine));
    seen.push(await engine.policy.score(data), await reference.score(data), await sample(engine, round));
  }
  await engine.dispose();
  return seen;
}

async function step({ policy }: Engine) {
  const { loss } = await policy.forwardBackward(data, nll);
  return [loss, (await policy.optimizerStep(adamW)).gradientNorm];
}

function sample({ policy }: Engine, round: number) {
  const params = { temperature: 1, topP: 1, topK: 0, maxTokens: 8, stopTokens: [], stopSequences: [] };
  return Promise.all(
    data.map(({ tokens }, i) =>
      policy.sample({ sequence: `${round}/${i}`, tokens: tokens.slice(0, 20), params, seed: i }),
    ),
  );
}

const ways = [
  ['off', 'adapter'],
  ['on', 'head'],
  ['off', 'model'],
] as const;
/** The short form has every family, every type and every way once or twice; `npm run test:long` has each with each. */
const isLong = process.env['TEST_LONG'] !== undefined;
const cases = Object.keys(families)
  .flatMap((family, i) =>
    compactDtypes.map((baseDtype, j) => ({
      i,
      j,
      given: [family, baseDtype, ...ways[(i + j) % 3]!] as const,
    })),
  )
  .filter(({ i, j }) => isLong || j === i % 3)
  .map(({ given }) => given);

it.each(cases)(
  '%s in %s has the bits of rounded weights in float32, recompute %s, critic %s',
  async (family, baseDtype, recompute, critic) => {
    const json = families[family as keyof typeof families];
    const compact = await learn(await openEngine(json, { baseDtype, recompute, critic }));
    const setup = { baseDtype: 'float32', recompute, critic } as const;
    expect(compact).toEqual(await learn(await openEngine(json, setup, rounded(json, baseDtype))));
  },
);

describe.each(compactDtypes)('a base in %s', (baseDtype) => {
  const json = families['qwen2, tied, with biases'];

  it('gives the same bits with one thread and with two', async () => {
    const one = await learn(await openEngine(json, { baseDtype, threads: 1 }));
    expect(await learn(await openEngine(json, { baseDtype, threads: 2 }))).toEqual(one);
  });

  it('gives the same bits when a run resumes', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'compact-'));
    const save = async (engine: Engine, name: string) => {
      await engine.policy.save(join(folder, name), { optimizer: true });
      return ['adapter_model', 'optimizer'].map((file) =>
        readFileSync(join(folder, name, `${file}.safetensors`)).toString('base64'),
      );
    };
    const whole = await openEngine(json, { baseDtype });
    await step(whole);
    await save(whole, 'first');
    await step(whole);
    const expected = await save(whole, 'whole');
    await whole.dispose();
    const resumed = await openEngine(json, { baseDtype });
    await resumed.policy.load(join(folder, 'first'), { optimizer: true });
    await step(resumed);
    const found = await save(resumed, 'resumed');
    await resumed.dispose();
    rmSync(folder, { recursive: true });
    expect(found).toEqual(expected);
  });
});
