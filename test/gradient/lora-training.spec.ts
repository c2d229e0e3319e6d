/** @file Training of adapters against PEFT: scores, gradients, an AdamW step, sampling, files. */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Datum, LossSpec, PolicyEngine } from '@espalier/contracts';
import { createEmbeddedEngine } from '@espalier/engine';
import { neg } from '@espalier/graph';
import { loadSafetensors } from '@espalier/model';
import { loadAdapter } from '@espalier/model/adapters';
import type { LossBuilder } from '@espalier/objective';
import { goldenFolder } from '@espalier/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

interface Golden {
  readonly base: string;
  readonly rows: number[][];
  readonly logprobs: number[][];
  readonly entropies: number[][];
  readonly nll: { readonly loss: number; readonly gradient_norm: number };
  readonly adamw: Readonly<
    Record<'lr' | 'beta1' | 'beta2' | 'eps' | 'weight_decay' | 'max_gradient_norm', number>
  >;
  readonly greedy: { readonly prompt: number[]; readonly tokens: number[] };
}

const nll: LossSpec = {
  id: 'nll',
  params: {},
  columns: [],
  build: (({ logprobs }) => ({ perToken: neg(logprobs), metrics: {} })) satisfies LossBuilder,
};

const names = readdirSync(goldenFolder('lora'), { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name);

describe.each(names)('adapters %s against PEFT', (name) => {
  const folder = join(goldenFolder('lora'), name);
  const golden = JSON.parse(readFileSync(join(folder, 'golden.json'), 'utf8')) as Golden;
  const count = golden.logprobs.flat().length;
  let engine: PolicyEngine;
  let target = '';
  beforeEach(async () => {
    target = mkdtempSync(join(tmpdir(), 'lora-'));
    engine = await createEmbeddedEngine({
      folder: join(goldenFolder('families'), golden.base),
      threads: 1,
      lora: { ...loadAdapter(folder).config, critic: 'adapter', seed: 0 },
    });
    await engine.policy.load(folder, { optimizer: false });
  });
  afterEach(async () => {
    await engine.dispose();
    rmSync(target, { recursive: true });
  });

  const data = (): Datum[] =>
    golden.rows.map((tokens) => ({
      tokens: Int32Array.from(tokens),
      positions: Int32Array.from({ length: tokens.length - 1 }, (_, t) => t + 1),
      weights: new Float32Array(tokens.length - 1).fill(1 / count),
      columns: {},
    }));

  it('has log-probabilities and entropies within 1e-4, without dropout', async () => {
    const scores = await engine.policy.score(data());
    for (const what of ['logprobs', 'entropies'] as const)
      expectClose(
        scores.flatMap((score) => [...score[what]]),
        golden[what].flat(),
        what,
      );
  });

  it('draws the same greedy tokens from the merged weights', async () => {
    const { prompt, tokens } = golden.greedy;
    const params = {
      temperature: 0,
      topP: 1,
      topK: 0,
      maxTokens: tokens.length,
      stopTokens: [],
      stopSequences: [],
    };
    const request = { sequence: 'a', tokens: Int32Array.from(prompt), params, seed: 0 };
    expect([...(await engine.policy.sample(request)).tokens]).toEqual(tokens);
  });

  it('has the loss, gradients of A and B, and both after an AdamW step within 1e-4, with dropout if it has any', async () => {
    const { lr, beta1, beta2, eps, weight_decay, max_gradient_norm } = golden.adamw;
    const { loss } = await engine.policy.forwardBackward(data(), nll);
    expect(Math.abs(loss / golden.nll.loss - 1)).toBeLessThan(1e-5);
    const { gradientNorm } = await engine.policy.optimizerStep({
      learningRate: lr,
      beta1,
      beta2,
      epsilon: eps,
      weightDecay: weight_decay,
      maxGradientNorm: max_gradient_norm,
    });
    expect(Math.abs(gradientNorm / golden.nll.gradient_norm - 1)).toBeLessThan(1e-5);
    await engine.policy.save(target, { optimizer: true });
    expect(readdirSync(target).sort()).toEqual([
      'adapter_config.json',
      'adapter_model.safetensors',
      'config.json',
      'optimizer.safetensors',
    ]);
    expect(loadAdapter(target).config).toEqual(loadAdapter(folder).config);
    const read = (path: string) => loadSafetensors(path).tensors;
    const saved = read(join(target, 'adapter_model.safetensors'));
    const moments = read(join(target, 'optimizer.safetensors'));
    const after = read(join(folder, 'after_adamw.safetensors'));
    const gradients = read(join(folder, 'gradients.safetensors'));
    expect([...saved.keys()].sort()).toEqual([...after.keys()].sort());
    expect(moments.size).toBe(2 * after.size);
    // after one step from zero the first moment is a share of the clipped gradient
    const share = (1 - beta1) * Math.min(1, max_gradient_norm / golden.nll.gradient_norm);
    for (const [tensor, { data: expected }] of after) {
      expectClose(saved.get(tensor)?.data, [...(expected as Float32Array)], tensor);
      const own = tensor.replace('base_model.model.', '');
      const gradient = [...(gradients.get(tensor)?.data as Float32Array)].map((x) => x * share);
      expectClose(moments.get(`first_moment.${own}`)?.data, gradient, own);
    }
  });
});

/** Equal within 1e-4 of the largest expected entry. */
function expectClose(
  found: ArrayLike<number | bigint> = [],
  expected: readonly number[],
  what: string,
): void {
  expect(found.length, what).toBe(expected.length);
  const size = expected.reduce((largest, x) => Math.max(largest, Math.abs(x)), 0);
  const difference = expected.reduce((most, x, i) => Math.max(most, Math.abs(x - Number(found[i]))), 0);
  expect(difference / size, what).toBeLessThan(1e-4);
}
