/**
 * @file What tiny-llama computes, as facts that every way of running a graph must meet: plain evaluation and ONNX
 * Runtime, against golden files of an independent implementation (test/golden/README.md).
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  add,
  clip,
  exp,
  Graph,
  matmul,
  minimum,
  mul,
  neg,
  rmsNorm,
  scale,
  sub,
  type Tensor,
} from '@espalier/graph';
import {
  buildScoreGraph,
  buildTrainingGraph,
  COLUMN,
  GATHERED,
  GRADIENT,
  loadModelFolder,
  loadSafetensors,
  type LossGraph,
  parameterShapes,
} from '@espalier/model';
import { buildAdamWGraph, resolveAdamWScalars, resolveClipScale } from '@espalier/optimizer';
import { goldenFolder } from '@espalier/testing';
import { expect, it } from 'vitest';
import { buildBackbone, declareParameters } from '../../libs/model/src/backbone.js';
import { declarePaddedRows } from '../../libs/model/src/layers/row-layout.js';
import { EMBEDDING, FINAL_NORM } from '../../libs/model/src/model-weights.js';

interface Golden {
  readonly ids: number[][];
  readonly lengths: number[];
  readonly lossMask: number[][];
  readonly old_logprobs: number[][];
  readonly advantages: number[][];
  readonly clip: { readonly low: number; readonly high: number };
  readonly logits_row0: number[][];
  readonly logprobs: number[][];
  readonly entropies: number[][];
  readonly nll: { readonly loss: number; readonly gradient_norm: number };
  readonly clipped_surrogate: { readonly loss: number; readonly gradient_norm: number };
  readonly adamw: Readonly<
    Record<'lr' | 'beta1' | 'beta2' | 'eps' | 'weight_decay' | 'max_gradient_norm', number>
  >;
}

interface Entries {
  readonly shape: readonly number[];
  readonly values: ArrayLike<number>;
}

/** Runs a graph: outputs by name, entries in row-major order. */
export type RunGraph = (
  graph: Graph,
  feeds: Readonly<Record<string, Entries>>,
) => Promise<Readonly<Record<string, ArrayLike<number>>>>;

type Place = readonly [row: number, position: number];

const LENGTH = 17;
const ENTROPY_BONUS = 0.01;
const model = loadModelFolder(goldenFolder('tiny-llama'));
const weights = [...model.weights].map(
  ([name, { data, shape }]) => [name, { shape, values: data as ArrayLike<number> }] as const,
);

/**
 * Declares the facts.
 *
 * @param name      of the folder of golden files
 * @param tolerance largest difference, as a share of the largest expected entry of a tensor
 */
export function describeTinyLlama(name: string, run: RunGraph, tolerance: number): void {
  const folder = goldenFolder(name);
  const golden = JSON.parse(readFileSync(join(folder, 'golden.json'), 'utf8')) as Golden;
  const every = golden.ids.flatMap((_, row) =>
    Array.from({ length: (golden.lengths[row] ?? 0) - 1 }, (_, t): Place => [row, t]),
  );
  const counted = every.filter(([row, t]) => golden.lossMask[row]?.[t] === 1);
  const surrogate = clippedLoss(golden.clip);

  function expectEqual(what: string, found: ArrayLike<number> | undefined, expected: ArrayLike<number>) {
    expect(found?.length, what).toBe(expected.length);
    expect(largestDifference(found ?? [], expected), what).toBeLessThan(tolerance);
  }

  async function train(loss: LossGraph, columns: readonly string[], chunkRows?: number) {
    const graph = buildTrainingGraph(graphOptions(counted.length, chunkRows), loss, [...columns]);
    const outputs = await run(graph, pickUsed(graph, feedsOf(golden, counted)));
    const gradients = new Map(weights.map(([name]) => [name, outputs[`${GRADIENT}${name}`] ?? []]));
    const total = Array.from(outputs['loss'] ?? []).reduce((a, b) => a + b, 0);
    return { total, gradients, norm: normOf([...gradients.values()]) };
  }

  async function expectGradients(
    kind: 'nll' | 'clipped_surrogate',
    step: Awaited<ReturnType<typeof train>>,
  ): Promise<void> {
    expectEqual('loss', [step.total], [golden[kind].loss]);
    expectEqual('gradient norm', [step.norm], [golden[kind].gradient_norm]);
    const { tensors } = loadSafetensors(join(folder, `gradients_${kind}.safetensors`));
    expect([...tensors.keys()].sort()).toEqual([...step.gradients.keys()].sort());
    for (const [tensor, { data }] of tensors)
      expectEqual(tensor, step.gradients.get(tensor), data as Float64Array);
  }

  it.each([undefined, 6])('gives the log-probabilities and entropies (chunks of %s)', async (chunkRows) => {
    const places = every;
    const graph = buildScoreGraph(graphOptions(places.length, chunkRows));
    const outputs = await run(graph, pickUsed(graph, feedsOf(golden, places)));
    for (const what of ['logprobs', 'entropies'] as const)
      expectEqual(what, outputs[what], pick(golden[what], places));
  });

  it('gives the logits', async () => {
    const graph = buildLogitsGraph();
    const feeds = { ...feedsOf(golden, []), ids: { shape: [1, LENGTH], values: golden.ids[0] ?? [] } };
    const { logits } = await run(graph, pickUsed(graph, feeds));
    const expected = golden.logits_row0.flat();
    expectEqual('logits', Array.from(logits ?? []).slice(0, expected.length), expected);
  });

  it('gives the gradients of the mean negative log-likelihood', async () => {
    await expectGradients(
      'nll',
      await train(({ logprobs }) => ({ perToken: neg(logprobs), metrics: {} }), []),
    );
  });

  it('gives the gradients of the clipped surrogate, in chunks, and the AdamW step', async () => {
    const step = await train(surrogate, ['old', 'advantages'], 5);
    await expectGradients('clipped_surrogate', step);
    const { tensors } = loadSafetensors(join(folder, 'after_adamw.safetensors'));
    for (const [tensor, next] of await stepAdamW(golden.adamw, step, run))
      expectEqual(`${tensor} after the step`, next, tensors.get(tensor)?.data as Float64Array);
  });
}

function clippedLoss({ low, high }: Golden['clip']): LossGraph {
  return ({ logprobs, entropies, columns }) => {
    const { old, advantages } = columns as Record<'old' | 'advantages', Tensor>;
    const ratio = exp(sub(logprobs, old));
    const gain = minimum(mul(ratio, advantages), mul(clip(ratio, 1 - low, 1 + high), advantages));
    return { perToken: neg(add(gain, scale(entropies, ENTROPY_BONUS))), metrics: {} };
  };
}

function graphOptions(rows: number, chunkRows: number | undefined) {
  const chunks = chunkRows === undefined ? {} : { chunkRows };
  return { config: model.config, role: 'policy', length: LENGTH, rows, ...chunks } as const;
}

function buildLogitsGraph(): Graph {
  const graph = new Graph();
  const parameters = declareParameters(graph, parameterShapes(model.config));
  const { hidden } = buildBackbone(model.config, parameters, declarePaddedRows(graph, LENGTH));
  const normed = rmsNorm(hidden, parameters.get(FINAL_NORM) as Tensor, model.config.shape.normEpsilon);
  graph.output('logits', matmul(normed, parameters.get(EMBEDDING) as Tensor, { transposeB: true }));
  return graph;
}

function feedsOf(golden: Golden, places: readonly Place[]): Record<string, Entries> {
  const shape = [places.length];
  const gathered = weights.map(([name, { shape, values }]) => {
    return [`${GATHERED}${name}`, { shape, values: new Float64Array(values.length) }] as const;
  });
  return {
    ...Object.fromEntries([...weights, ...gathered]),
    ids: { shape: [3, LENGTH], values: golden.ids.flat() },
    rows: { shape, values: places.map(([row, t]) => row * LENGTH + t) },
    targets: { shape, values: places.map(([row, t]) => golden.ids[row]?.[t + 1] ?? NaN) },
    inverse_temperature: { shape, values: places.map(() => 1) },
    weights: { shape, values: places.map(() => 1 / places.length) },
    [`${COLUMN}old`]: { shape, values: pick(golden.old_logprobs, places) },
    [`${COLUMN}advantages`]: { shape, values: pick(golden.advantages, places) },
  };
}

function pickUsed(graph: Graph, feeds: Readonly<Record<string, Entries>>): Record<string, Entries> {
  return Object.fromEntries(Object.entries(feeds).filter(([name]) => graph.inputs.has(name)));
}

function pick(rows: readonly number[][], places: readonly Place[]): number[] {
  return places.map(([row, t]) => rows[row]?.[t] ?? NaN);
}

async function stepAdamW(
  options: Golden['adamw'],
  { gradients, norm }: { gradients: ReadonlyMap<string, ArrayLike<number>>; norm: number },
  run: RunGraph,
): Promise<[string, ArrayLike<number>][]> {
  const scalars = resolveAdamWScalars(
    {
      learningRate: options.lr,
      beta1: options.beta1,
      beta2: options.beta2,
      epsilon: options.eps,
      weightDecay: options.weight_decay,
    },
    1,
    resolveClipScale(norm, options.max_gradient_norm),
  );
  const numbers = Object.entries(scalars).map(
    ([name, x]) => [name, { shape: [], values: [Number(x)] }] as const,
  );
  const next: [string, ArrayLike<number>][] = [];
  for (const [name, { values }] of weights) {
    const column = (entries: ArrayLike<number>): Entries => ({ shape: [values.length], values: entries });
    const outputs = await run(buildAdamWGraph(), {
      ...Object.fromEntries(numbers),
      weight: column(values),
      gradient: column(gradients.get(name) ?? []),
      first_moment: column(new Float64Array(values.length)),
      second_moment: column(new Float64Array(values.length)),
    });
    next.push([name, outputs['next_weight'] ?? []]);
  }
  return next;
}

function normOf(arrays: readonly ArrayLike<number>[]): number {
  return Math.sqrt(arrays.reduce((total, array) => Array.from(array).reduce((a, x) => a + x * x, total), 0));
}

function largestDifference(found: ArrayLike<number>, expected: ArrayLike<number>): number {
  let difference = 0;
  let size = 0;
  for (let i = 0; i < expected.length; i += 1) {
    const gap = Math.abs((found[i] ?? NaN) - (expected[i] ?? NaN));
    if (Number.isNaN(gap)) return NaN;
    difference = Math.max(difference, gap);
    size = Math.max(size, Math.abs(expected[i] ?? NaN));
  }
  return difference / size;
}
