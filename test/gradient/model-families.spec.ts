/** @file Every family but Llama against transformers: scores, gradients, sampling through the cache, saving. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Datum, LossSpec, PolicyEngine, SampleResult } from '@espalier/contracts';
import { createEmbeddedEngine } from '@espalier/engine';
import { dim, evaluate, neg } from '@espalier/graph';
import {
  buildTrainingGraph,
  GATHERED,
  GRADIENT,
  loadModelFolder,
  loadSafetensors,
  saveModelFolder,
} from '@espalier/model';
import type { LossBuilder } from '@espalier/objective';
import { goldenFolder } from '@espalier/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

interface Golden {
  readonly rows: number[][];
  readonly logprobs: number[][];
  readonly entropies: number[][];
  readonly nll: { readonly loss: number; readonly gradient_norm: number };
  readonly greedy: Readonly<Record<'prompt' | 'first' | 'reply' | 'second', number[]>>;
}

const nll: LossSpec = {
  id: 'nll',
  params: {},
  columns: [],
  build: (({ logprobs }) => ({ perToken: neg(logprobs), metrics: {} })) satisfies LossBuilder,
};

describe.each(['qwen2', 'qwen2-tied', 'qwen3', 'mistral'])('%s against transformers', (name) => {
  const folder = join(goldenFolder('families'), name);
  const golden = JSON.parse(readFileSync(join(folder, 'golden.json'), 'utf8')) as Golden;
  const gradients = loadSafetensors(join(folder, 'gradients.safetensors')).tensors;
  const count = golden.logprobs.flat().length;
  let engine: PolicyEngine;
  beforeAll(async () => {
    engine = await createEmbeddedEngine({ folder, threads: 1 });
  });
  afterAll(() => engine.dispose());

  const data = (): Datum[] =>
    golden.rows.map((tokens) => ({
      tokens: Int32Array.from(tokens),
      positions: Int32Array.from({ length: tokens.length - 1 }, (_, t) => t + 1),
      weights: new Float32Array(tokens.length - 1).fill(1 / count),
      columns: {},
    }));

  it('has log-probabilities and entropies within 1e-5', async () => {
    const scores = await engine.policy.score(data());
    for (const what of ['logprobs', 'entropies'] as const) {
      const found = scores.flatMap((score) => [...score[what]]);
      expect(largestDifference(found, golden[what].flat()), what).toBeLessThan(1e-5);
    }
  });

  it('has gradients of every parameter within 1e-5 in float64', () => {
    const found = evaluateGradients(folder, golden.rows);
    expect([...found.keys()].sort()).toEqual([...gradients.keys()].sort());
    for (const [parameter, values] of found) {
      const expected = Array.from(gradients.get(parameter)?.data ?? [], Number);
      expect(largestDifference(values, expected), parameter).toBeLessThan(1e-5);
    }
  });

  it('has the loss and gradient norm within 1e-5 in ONNX Runtime', async () => {
    const { loss } = await engine.policy.forwardBackward(data(), nll);
    const step = {
      learningRate: 0,
      beta1: 0.9,
      beta2: 0.9,
      epsilon: 1,
      weightDecay: 0,
      maxGradientNorm: Infinity,
    };
    const { gradientNorm } = await engine.policy.optimizerStep(step);
    expect(Math.abs(loss / golden.nll.loss - 1)).toBeLessThan(1e-5);
    expect(Math.abs(gradientNorm / golden.nll.gradient_norm - 1)).toBeLessThan(1e-5);
  });

  const { prompt, first, reply, second } = golden.greedy;
  const sample = (sequence: string, tokens: number[]): Promise<SampleResult> =>
    engine.policy.sample({
      sequence,
      tokens: Int32Array.from(tokens),
      params: { temperature: 0, topP: 1, topK: 0, maxTokens: 10, stopTokens: [], stopSequences: [] },
      seed: 0,
    });

  it('samples the same greedy tokens over two turns of one cached sequence', async () => {
    expect([...(await sample('a', prompt)).tokens]).toEqual(first);
    expect([...(await sample('a', [...prompt, ...first, ...reply])).tokens]).toEqual(second);
  });

  it('gives a sequence the same bits alone and among others', async () => {
    const alone = await sample('b', prompt);
    const [together] = await Promise.all([
      sample('c', prompt),
      sample('d', [...prompt, ...first]),
      sample('e', reply),
    ]);
    expect(together).toMatchObject({ tokens: alone.tokens, logprobs: alone.logprobs });
  });

  it('samples with the log-probabilities that scoring confirms', async () => {
    const { tokens, logprobs } = await sample('f', prompt);
    const whole = Int32Array.from([...prompt, ...tokens]);
    const positions = Int32Array.from(tokens, (_, t) => prompt.length + t);
    const [score] = await engine.policy.score([{ tokens: whole, positions }]);
    expect(largestDifference([...logprobs], [...(score?.logprobs ?? [])])).toBeLessThan(1e-4);
  });

  it('saves what transformers saved', () => {
    const target = mkdtempSync(join(tmpdir(), 'family-'));
    try {
      const { config, weights } = loadModelFolder(folder);
      saveModelFolder(target, { config, weights, dtype: 'float32' });
      const [original, saved] = [folder, target].map(
        (path) => loadSafetensors(join(path, 'model.safetensors')).tensors,
      );
      expect(saved).toEqual(original);
      const read = (path: string) => JSON.parse(readFileSync(join(path, 'config.json'), 'utf8')) as object;
      expect(read(target)).toMatchObject(read(folder));
    } finally {
      rmSync(target, { recursive: true });
    }
  });
});

/** Gradients of the mean negative log-likelihood over all positions of all rows, padded to one length. */
function evaluateGradients(folder: string, rows: readonly number[][]): Map<string, number[]> {
  const { config, weights } = loadModelFolder(folder);
  const length = Math.max(...rows.map((row) => row.length));
  const graph = buildTrainingGraph(
    { config, role: 'policy', length, rows: dim('N') },
    ({ logprobs }) => ({ perToken: neg(logprobs), metrics: {} }),
    [],
  );
  const places = rows.flatMap((row, r) => row.slice(1).map((target, t) => ({ row: r * length + t, target })));
  const column = (values: number[]) => ({ shape: [places.length], values });
  const parameters = [...weights].flatMap(([name, { data, shape }]) => [
    [name, { shape, values: Float64Array.from(data) }] as const,
    [`${GATHERED}${name}`, { shape, values: new Float64Array(data.length) }] as const,
  ]);
  const outputs = evaluate(graph, {
    ...Object.fromEntries(parameters),
    ids: {
      shape: [rows.length, length],
      values: rows.flatMap((row) => [...row, ...Array<number>(length - row.length).fill(0)]),
    },
    rows: column(places.map(({ row }) => row)),
    targets: column(places.map(({ target }) => target)),
    inverse_temperature: column(places.map(() => 1)),
    weights: column(places.map(() => 1 / places.length)),
  });
  return new Map(
    [...weights.keys()].map((name) => [
      name,
      Array.from(outputs[`${GRADIENT}${name}`]?.values ?? [], Number),
    ]),
  );
}

/** The largest difference, relative to the largest expected entry. */
function largestDifference(found: readonly number[], expected: readonly number[]): number {
  expect(found.length).toBe(expected.length);
  const size = expected.reduce((most, x) => Math.max(most, Math.abs(x)), 0);
  return expected.reduce((most, x, i) => Math.max(most, Math.abs(x - (found[i] ?? NaN))), 0) / size;
}
