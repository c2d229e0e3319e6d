/** @file Every family against transformers: scores, gradients, an AdamW step, sampling through the cache, saving. */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
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
import { families } from '../../libs/model/src/families/families.js';

interface Golden {
  readonly rows: number[][];
  readonly logprobs: number[][];
  readonly entropies: number[][];
  /** after the last token of the last row */
  readonly logits: number[];
  readonly nll: { readonly loss: number; readonly gradient_norm: number };
  readonly adamw: Readonly<
    Record<'lr' | 'beta1' | 'beta2' | 'eps' | 'weight_decay' | 'max_gradient_norm', number>
  >;
  /** a conversation: tokens given and tokens drawn, most probable first */
  readonly turns: readonly { readonly given: number[]; readonly drawn: number[] }[];
}

const nll: LossSpec = {
  id: 'nll',
  params: {},
  columns: [],
  build: (({ logprobs }) => ({ perToken: neg(logprobs), metrics: {} })) satisfies LossBuilder,
};

const names = readdirSync(goldenFolder('families'), { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map((entry) => entry.name);

it('has goldens of every family, and of the checkpoints that differ within one', () => {
  const types = names.map(
    (name) =>
      JSON.parse(readFileSync(join(goldenFolder('families'), name, 'config.json'), 'utf8')) as {
        readonly model_type: string;
      },
  );
  expect(new Set(types.map(({ model_type: type }) => type))).toEqual(
    new Set(families.map(({ modelType }) => modelType)),
  );
  expect(names).toEqual(
    expect.arrayContaining([
      'llama2',
      'llama3',
      'qwen2',
      'qwen3',
      'smollm2',
      'smollm3',
      'mistral',
      'mistral-window',
      'gemma2',
      'gemma3',
      'olmo2',
    ]),
  );
});

describe.each(names)('%s against transformers', (name) => {
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

  it('has the logits of every token, but for what all of them have in common, within 1e-5', async () => {
    const row = golden.rows.at(-1) ?? [];
    const scores = await engine.policy.score(
      golden.logits.map((_, token) => ({
        tokens: Int32Array.from([...row, token]),
        positions: Int32Array.of(row.length),
      })),
    );
    const found = scores.map(({ logprobs }) => logprobs[0] ?? NaN);
    const common = Math.log(golden.logits.reduce((sum, logit) => sum + Math.exp(logit), 0));
    const logits = found.map((logprob) => logprob + common);
    expect(largestDifference(logits, golden.logits)).toBeLessThan(1e-5);
  });

  it('has gradients of every parameter within 1e-5 in float64', () => {
    const found = evaluateGradients(folder, golden.rows);
    expect([...found.keys()].sort()).toEqual([...gradients.keys()].sort());
    for (const [parameter, values] of found) {
      const expected = toNumbers(gradients.get(parameter)?.data);
      expect(largestDifference(values, expected), parameter).toBeLessThan(1e-5);
    }
  });

  it('has the loss, gradients, and weights after an AdamW step within 1e-4 in ONNX Runtime', async () => {
    const trained = await createEmbeddedEngine({ folder, threads: 1 });
    const target = mkdtempSync(join(tmpdir(), 'family-'));
    try {
      const { lr, beta1, beta2, eps, weight_decay, max_gradient_norm } = golden.adamw;
      const { loss } = await trained.policy.forwardBackward(data(), nll);
      expect(Math.abs(loss / golden.nll.loss - 1)).toBeLessThan(1e-5);
      const { gradientNorm } = await trained.policy.optimizerStep({
        learningRate: lr,
        beta1,
        beta2,
        epsilon: eps,
        weightDecay: weight_decay,
        maxGradientNorm: max_gradient_norm,
      });
      expect(Math.abs(gradientNorm / golden.nll.gradient_norm - 1)).toBeLessThan(1e-5);
      await trained.policy.save(target, { optimizer: true });
      const read = (path: string) => loadSafetensors(path).tensors;
      const saved = read(join(target, 'model.safetensors'));
      const moments = read(join(target, 'optimizer.safetensors'));
      // after one step from zero the first moment is a share of the clipped gradient
      const share = (1 - beta1) * Math.min(1, max_gradient_norm / golden.nll.gradient_norm);
      for (const [parameter, { data: after }] of read(join(folder, 'after_adamw.safetensors'))) {
        expectWithin(1e-4, saved.get(parameter)?.data, after, parameter);
        const gradient = toNumbers(gradients.get(parameter)?.data).map((x) => x * share);
        expectWithin(1e-4, moments.get(`first_moment.${parameter}`)?.data, gradient, parameter);
      }
    } finally {
      rmSync(target, { recursive: true });
      await trained.dispose();
    }
  });

  const sample = (sequence: string, tokens: number[], maxTokens: number, sharedPrefix?: number) =>
    engine.policy.sample({
      sequence,
      tokens: Int32Array.from(tokens),
      params: { temperature: 0, topP: 1, topK: 0, maxTokens, stopTokens: [], stopSequences: [] },
      seed: 0,
      ...(sharedPrefix === undefined ? {} : { sharedPrefix }),
    });

  /** What is drawn in each turn of the conversation, through the cache of one sequence. */
  async function converse(sequence: string, sharedPrefix?: number): Promise<SampleResult[]> {
    const results: SampleResult[] = [];
    let tokens: number[] = [];
    for (const { given, drawn } of golden.turns) {
      tokens = [...tokens, ...given];
      const result = await sample(sequence, tokens, drawn.length, sharedPrefix);
      results.push(result);
      tokens = [...tokens, ...result.tokens];
    }
    engine.policy.release([sequence]);
    return results;
  }

  const drawn = golden.turns.map((turn) => turn.drawn);
  const tokensOf = (results: readonly SampleResult[]) => results.map(({ tokens }) => [...tokens]);

  it('draws the same 32 greedy tokens over three turns of one cached sequence', async () => {
    expect(tokensOf(await converse('a'))).toEqual(drawn);
  });

  it('draws them in sequences that share the cache of their first tokens', async () => {
    const prefix = golden.turns[0]?.given.length ?? 0;
    const group = await Promise.all(['a', 'b', 'c'].map((sequence) => converse(sequence, prefix)));
    for (const results of group) expect(tokensOf(results)).toEqual(drawn);
  });

  it('gives a sequence the same bits alone and among others', async () => {
    const [row = [], other = []] = golden.rows;
    const alone = await converse('b');
    const [together] = await Promise.all([
      converse('c'),
      sample('d', row, 20),
      sample('e', other.slice(0, 7), 25),
    ]);
    engine.policy.release(['d', 'e']);
    together.forEach((turn, i) =>
      expect(turn).toMatchObject({ tokens: alone[i]?.tokens, logprobs: alone[i]?.logprobs }),
    );
  });

  it('draws with the log-probabilities that scoring confirms', async () => {
    const results = await converse('f');
    let before: number[] = [];
    for (const [i, { given }] of golden.turns.entries()) {
      const { tokens, logprobs } = results[i] as SampleResult;
      const start = before.length + given.length;
      before = [...before, ...given, ...tokens];
      const positions = Int32Array.from(tokens, (_, t) => start + t);
      const [score] = await engine.policy.score([{ tokens: Int32Array.from(before), positions }]);
      expectWithin(1e-4, logprobs, score?.logprobs ?? [], `turn ${i}`);
    }
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

/** Equal within a share of the largest expected entry. */
function expectWithin(
  tolerance: number,
  found: ArrayLike<number | bigint> | undefined,
  expected: ArrayLike<number | bigint>,
  what: string,
): void {
  expect(largestDifference(toNumbers(found), toNumbers(expected)), what).toBeLessThan(tolerance);
}

function toNumbers(values: ArrayLike<number | bigint> = []): number[] {
  return Array.from(values, Number);
}

/** The largest difference, relative to the largest expected entry. */
function largestDifference(found: readonly number[], expected: readonly number[]): number {
  expect(found.length).toBe(expected.length);
  const size = expected.reduce((most, x) => Math.max(most, Math.abs(x)), 0);
  return expected.reduce((most, x, i) => Math.max(most, Math.abs(x - (found[i] ?? NaN))), 0) / size;
}
