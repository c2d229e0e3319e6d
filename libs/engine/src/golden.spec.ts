import { readFileSync } from 'node:fs';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Datum, LossSpec, PolicyEngine } from '@espalier/contracts';
import { add, clip, exp, minimum, mul, neg, scale, sub } from '@espalier/graph';
import { loadSafetensors } from '@espalier/model';
import type { LossBuilder } from '@espalier/objective';
import { goldenFolder } from '@espalier/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createEmbeddedEngine } from './embedded-engine.js';

interface Golden {
  readonly ids: number[][];
  readonly lengths: number[];
  readonly lossMask: number[][];
  readonly old_logprobs: number[][];
  readonly advantages: number[][];
  readonly clip: { readonly low: number; readonly high: number };
  readonly logprobs: number[][];
  readonly entropies: number[][];
  readonly nll: { readonly loss: number; readonly gradient_norm: number };
  readonly clipped_surrogate: { readonly loss: number; readonly gradient_norm: number };
  readonly adamw: {
    readonly lr: number;
    readonly beta1: number;
    readonly beta2: number;
    readonly eps: number;
    readonly weight_decay: number;
    readonly max_gradient_norm: number;
  };
  readonly greedy: { readonly prompt: number[]; readonly tokens: number[] };
}

const tiny = goldenFolder('tiny-llama');

const nll: LossSpec = {
  id: 'nll',
  params: {},
  columns: [],
  build: (({ logprobs }) => ({ perToken: neg(logprobs), metrics: {} })) satisfies LossBuilder,
};

const surrogate = (golden: Golden): LossSpec => ({
  id: 'surrogate',
  params: { low: golden.clip.low, high: golden.clip.high },
  columns: ['old', 'advantages'],
  build: (({ logprobs, entropies, columns, params }) => {
    const ratio = exp(sub(logprobs, columns['old'] ?? 0));
    const advantages = columns['advantages'] ?? ratio;
    const clipped = clip(ratio, 1 - Number(params['low']), 1 + Number(params['high']));
    const gain = minimum(mul(ratio, advantages), mul(clipped, advantages));
    return { perToken: neg(add(gain, scale(entropies, 0.01))), metrics: {} };
  }) satisfies LossBuilder,
});

describe('embedded engine against an independent implementation (float32)', () => {
  const golden = JSON.parse(readFileSync(join(tiny, 'golden.json'), 'utf8')) as Golden;
  let engine: PolicyEngine;
  beforeAll(async () => {
    engine = await createEmbeddedEngine({ folder: tiny, threads: 1 });
  });
  afterAll(() => engine.dispose());

  function datum(row: number, isInLoss: boolean): Datum {
    const length = golden.lengths[row] ?? 0;
    const positions = Array.from({ length: length - 1 }, (_, t) => t + 1).filter(
      (p) => !isInLoss || golden.lossMask[row]?.[p - 1] === 1,
    );
    const pick = (rows: number[][]) => Float32Array.from(positions, (p) => rows[row]?.[p - 1] ?? NaN);
    return {
      tokens: Int32Array.from(golden.ids[row] ?? []).slice(0, length),
      positions: Int32Array.from(positions),
      weights: new Float32Array(positions.length).fill(1 / golden.lossMask.flat().reduce((a, b) => a + b, 0)),
      columns: { old: pick(golden.old_logprobs), advantages: pick(golden.advantages) },
    };
  }
  const counted = () => [0, 1, 2].map((row) => datum(row, true));

  it('scores with the same log-probabilities and entropies', async () => {
    const data = [0, 1, 2].map((row) => datum(row, false));
    const scores = await engine.policy.score(data);
    for (const name of ['logprobs', 'entropies'] as const) {
      const expected = data.flatMap(({ positions }, row) =>
        [...positions].map((p) => golden[name][row]?.[p - 1] ?? NaN),
      );
      expectClose(Float32Array.from(scores.flatMap((score) => [...score[name]])), expected);
    }
  });

  it('samples the same greedy tokens', async () => {
    const { prompt, tokens } = golden.greedy;
    const params = {
      temperature: 0,
      topP: 1,
      topK: 0,
      maxTokens: tokens.length,
      stopTokens: [],
      stopSequences: [],
    };
    const result = await engine.policy.sample({
      sequence: 'g',
      tokens: Int32Array.from(prompt),
      params,
      seed: 0,
    });
    expect([...result.tokens]).toEqual(tokens);
  });

  it('reaches the same gradient norm and the same weights after one AdamW step', async () => {
    const result = await engine.policy.forwardBackward(counted(), surrogate(golden));
    expect(result.loss).toBeCloseTo(golden.clipped_surrogate.loss, 5);
    const { lr, beta1, beta2, eps, weight_decay, max_gradient_norm } = golden.adamw;
    const step = await engine.policy.optimizerStep({
      learningRate: lr,
      beta1,
      beta2,
      epsilon: eps,
      weightDecay: weight_decay,
      maxGradientNorm: max_gradient_norm,
    });
    expect(step.gradientNorm).toBeCloseTo(golden.clipped_surrogate.gradient_norm, 5);
    expect(step.clipped).toBe(true);
    const folder = mkdtempSync(join(tmpdir(), 'espalier-'));
    await engine.policy.save(folder, { optimizer: false });
    const saved = loadSafetensors(join(folder, 'model.safetensors')).tensors;
    for (const [name, { data }] of loadSafetensors(join(tiny, 'after_adamw.safetensors')).tensors) {
      expectClose(saved.get(name)?.data as Float32Array, [...(data as Float32Array)], name);
    }
    rmSync(folder, { recursive: true });
    await engine.policy.load(tiny, { optimizer: false });
  });

  it('computes the same mean negative log-likelihood', async () => {
    const result = await engine.policy.forwardBackward(counted(), nll);
    expect(result.loss).toBeCloseTo(golden.nll.loss, 4);
    const { gradientNorm } = await engine.policy.optimizerStep({
      learningRate: 0,
      beta1: 0.9,
      beta2: 0.9,
      epsilon: 1,
      weightDecay: 0,
      maxGradientNorm: Infinity,
    });
    expect(gradientNorm / golden.nll.gradient_norm).toBeCloseTo(1, 4);
  });
});

/** Equal within 1e-4 of the largest expected entry. */
function expectClose(found: Float32Array, expected: readonly number[], name = ''): void {
  expect(found.length, name).toBe(expected.length);
  const size = expected.reduce((largest, x) => Math.max(largest, Math.abs(x)), 0);
  const difference = expected.reduce(
    (largest, x, i) => Math.max(largest, Math.abs(x - (found[i] ?? NaN))),
    0,
  );
  expect(difference / size, name).toBeLessThan(1e-4);
}
