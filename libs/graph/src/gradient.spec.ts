import { describe, expect, it } from 'vitest';
import { checkpoint, withGradient } from './checkpoint.js';
import { evaluate } from './evaluate.js';
import { gradient } from './gradient.js';
import { Graph } from './graph.js';
import { add, exp, floor, mul, scale, square } from './ops/elementwise.js';
import { matmul } from './ops/linear-algebra.js';
import { sum } from './ops/reduction.js';
import { stopGradient } from './ops/selection.js';
import type { Tensor } from './tensor.js';

function gradientOf(build: (x: Tensor, graph: Graph) => Tensor, values: number[]): number[] {
  const graph = new Graph();
  const x = graph.input('x', 'float32', [values.length]);
  graph.output('g', gradient(build(x, graph), [x])[0] as Tensor);
  return Array.from(evaluate(graph, { x: { shape: [values.length], values } })['g']?.values ?? []);
}

describe('gradient', () => {
  it('adds up all paths from a tensor to the loss', () => {
    expect(gradientOf((x) => sum(add(square(x), scale(x, 3))), [1, -2])).toEqual([5, -1]);
  });

  it('sums broadcast axes back', () => {
    const graph = new Graph();
    const bias = graph.input('bias', 'float32', [3]);
    const x = graph.input('x', 'float32', [2, 3]);
    const g = gradient(sum(mul(x, bias)), [bias])[0] as Tensor;
    expect(g.shape).toEqual([3]);
    graph.output('g', g);
    const feeds = {
      bias: { shape: [3], values: [0, 0, 0] },
      x: { shape: [2, 3], values: [1, 2, 3, 4, 5, 6] },
    };
    expect(Array.from(evaluate(graph, feeds)['g']?.values ?? [])).toEqual([5, 7, 9]);
  });

  it('is zero where the loss does not depend on a tensor, and for stopped gradients', () => {
    expect(gradientOf((_, graph) => sum(graph.input('other', 'float32', [1])), [1, 2])).toEqual([0, 0]);
    expect(gradientOf((x) => sum(mul(x, stopGradient(x))), [3, 4])).toEqual([3, 4]);
  });

  it('differentiates with respect to a tensor in the middle and to one before it', () => {
    const graph = new Graph();
    const x = graph.input('x', 'float32', []);
    const y = square(x);
    const [gx, gy] = gradient(exp(y), [x, y]) as [Tensor, Tensor];
    graph.output('gx', gx);
    graph.output('gy', gy);
    const { gx: atX, gy: atY } = evaluate(graph, { x: { shape: [], values: [0.5] } });
    expect(atY?.values[0]).toBeCloseTo(Math.exp(0.25), 12);
    expect(atX?.values[0]).toBeCloseTo(Math.exp(0.25), 12);
  });

  it('starts from a seed where the loss has several entries', () => {
    const graph = new Graph();
    const x = graph.input('x', 'float32', [2]);
    expect(() => gradient(square(x), [x])).toThrow('the loss is [2]');
    graph.output('g', gradient(square(x), [x], graph.constant([1, 10]))[0] as Tensor);
    expect(Array.from(evaluate(graph, { x: { shape: [2], values: [3, 4] } })['g']?.values ?? [])).toEqual([
      6, 80,
    ]);
  });

  it('throws at an operator without a gradient, with the reason', () => {
    expect(() => gradientOf((x) => sum(floor(x)), [1])).toThrow(
      'floor has no gradient (the derivative of a step',
    );
  });

  it('uses the rule of withGradient instead of the nodes in between', () => {
    const build = (x: Tensor): Tensor => sum(withGradient(square(x), [x], (g) => [scale(g, 7)]));
    expect(gradientOf(build, [1, 2])).toEqual([7, 7]);
  });

  it('is unchanged by gradient checkpointing', () => {
    const part = ([x]: readonly Tensor[]): Tensor => exp(mul(x as Tensor, 0.5));
    const plain = gradientOf((x) => sum(square(part([x]))), [0.1, 1.3]);
    expect(gradientOf((x) => sum(square(checkpoint([x], part))), [0.1, 1.3])).toEqual(plain);
  });

  it('sums the gradient of weights that a batch shares', () => {
    const graph = new Graph();
    const x = graph.input('x', 'float32', ['B', 'T', 2]);
    const w = graph.input('w', 'float32', [3, 2]);
    graph.output('g', gradient(sum(matmul(x, w, { transposeB: true })), [w])[0] as Tensor);
    const feeds = {
      x: { shape: [2, 1, 2], values: [1, 2, 3, 4] },
      w: { shape: [3, 2], values: new Array<number>(6).fill(0) },
    };
    expect(Array.from(evaluate(graph, feeds)['g']?.values ?? [])).toEqual([4, 6, 4, 6, 4, 6]);
  });
});
