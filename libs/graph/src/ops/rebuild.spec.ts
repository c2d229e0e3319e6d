import { describe, expect, it } from 'vitest';
import { estimateGraphCost } from '../cost.js';
import { ancestors, evaluate } from '../evaluate.js';
import { gradient } from '../gradient.js';
import { Graph } from '../graph.js';
import type { Tensor } from '../tensor.js';
import { silu, swiGlu } from './activation.js';
import { add, mul } from './elementwise.js';
import { matmul } from './linear-algebra.js';
import { rmsNorm } from './normalization.js';
import { sum } from './reduction.js';

const ROWS = 64;
const SIZE = 8;
const layers = 6;

type Gate = (gate: Tensor, up: Tensor) => Tensor;

/** Gated layers of 8 → 8, and the gradients of all weights. */
function buildLayers(gated: Gate): Graph {
  const graph = new Graph();
  const weights: Tensor[] = [];
  const linear = (x: Tensor, name: string): Tensor => {
    const weight = graph.input(name, 'float32', [SIZE, SIZE]);
    weights.push(weight);
    return matmul(x, weight, { transposeB: true });
  };
  let x = graph.input('x', 'float32', [ROWS, SIZE]);
  for (let i = 0; i < layers; i += 1)
    x = linear(gated(linear(x, `gate${i}`), linear(x, `up${i}`)), `down${i}`);
  gradient(sum(x), weights).forEach((tensor, i) => graph.output(`gradient${i}`, tensor));
  return graph;
}

const feeds = (graph: Graph) =>
  Object.fromEntries(
    [...graph.inputs].map(([name, { shape }], i) => {
      const sizes = shape as number[];
      const values = Float64Array.from({ length: sizes.reduce((a, b) => a * b, 1) }, (_, at) =>
        Math.sin(0.7 * at + i),
      );
      return [name, { dtype: 'float32' as const, shape: sizes, values }];
    }),
  );

describe('a cheap operand of a product', () => {
  it('is not kept for the backward pass', () => {
    const kept = estimateGraphCost(
      buildLayers((gate, up) => mul(silu(gate), up)),
      new Map(),
    );
    const rebuilt = estimateGraphCost(buildLayers(swiGlu), new Map());
    expect(rebuilt.flop).toBe(kept.flop);
    // of each layer but the last, which the backward pass begins with
    expect(kept.peakBytes - rebuilt.peakBytes).toBeGreaterThanOrEqual(4 * ROWS * SIZE * (layers - 1));
  });

  it('has the same gradients as one that is kept', () => {
    const [rebuilt, kept] = [swiGlu, (gate: Tensor, up: Tensor) => mul(silu(gate), up)].map((gated) => {
      const graph = buildLayers(gated);
      return evaluate(graph, feeds(graph));
    });
    for (const [name, { values }] of Object.entries(kept ?? {}))
      values.forEach((value, i) => expect(rebuilt?.[name]?.values[i]).toBeCloseTo(value, 10));
  });

  it('is built once for all products that have it', () => {
    const graph = new Graph();
    const x = graph.input('x', 'float32', [ROWS, SIZE]);
    const norm = graph.input('norm', 'float32', [SIZE]);
    const weights = ['q', 'k', 'v'].map((name) => graph.input(name, 'float32', [SIZE, SIZE]));
    const normed = rmsNorm(add(x, x), norm, 1e-5);
    const products = weights.map((weight) => matmul(normed, weight));
    gradient(sum(products.reduce(mul)), weights).forEach((g, i) => graph.output(`gradient${i}`, g));
    const norms = [...ancestors([...graph.outputs.values()])].filter(({ op }) => op.name === 'rmsNorm');
    expect(norms).toHaveLength(2);
  });
});
