/**
 * @file Gradient clipping by global norm. The graph only sums squares along rows; the few row sums are added in double
 * precision in a fixed order, so the norm does not depend on the number of threads.
 * Pascanu et al. 2013, arXiv:1211.5063, algorithm 1.
 */
import { Graph, mul, sum } from '@espalier/graph';

/** Builds the sums of squares of the rows of `x` [n, c]: output `squares` [n]. */
export function buildRowSquaresGraph(): Graph {
  const graph = new Graph();
  const x = graph.input('x', 'float32', ['n', 'c']);
  graph.output('squares', sum(mul(x, x), { axes: [1] }));
  return graph;
}

/** The factor, at most 1, that scales a norm down to `maxNorm`; 1e-6 keeps the division finite. */
export function resolveClipScale(norm: number, maxNorm: number): number {
  return Math.min(1, maxNorm / (norm + 1e-6));
}
