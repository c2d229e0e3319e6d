import { describe, expect, it } from 'vitest';
import { estimateGraphCost } from './cost.js';
import { dim } from './dim.js';
import { Graph } from './graph.js';
import { add, mul } from './ops/elementwise.js';
import { matmul } from './ops/linear-algebra.js';
import { reshape } from './ops/movement.js';
import { softmax } from './ops/softmax.js';

const sizes = new Map([['N', 10]]);

describe('estimateGraphCost', () => {
  it('counts two operations per multiply-add, and bytes moved', () => {
    const graph = new Graph();
    const a = graph.input('a', 'float32', [dim('N'), 4]);
    const b = graph.input('b', 'float32', [8, 4]);
    graph.output('c', matmul(a, b, { transposeB: true }));
    expect(estimateGraphCost(graph, sizes)).toEqual({
      flop: 2 * 10 * 4 * 8,
      movedBytes: 4 * (10 * 4 + 8 * 4 + 10 * 8),
      nodes: 1,
      peakBytes: 0,
    });
  });

  it('frees a tensor after its last reader', () => {
    const graph = new Graph();
    const x = graph.input('x', 'float32', [dim('N')]);
    const first = softmax(x, 0);
    const second = softmax(first, 0); // first ends here
    const third = softmax(second, 0);
    graph.output('y', softmax(third, 0));
    expect(estimateGraphCost(graph, sizes).peakBytes).toBe(2 * 40);
    const kept = new Graph();
    const z = kept.input('x', 'float32', [dim('N')]);
    const early = softmax(z, 0);
    kept.output('y', mul(softmax(softmax(early, 0), 0), early));
    expect(estimateGraphCost(kept, sizes).peakBytes).toBe(3 * 40);
  });

  it('reuses the memory of a dead operand for sums, and none for a reshape', () => {
    const graph = new Graph();
    const x = graph.input('x', 'float32', [dim('N')]);
    const sum = add(softmax(x, 0), x);
    graph.output('y', softmax(reshape(add(sum, x), [dim('N'), 1]), 0));
    expect(estimateGraphCost(graph, sizes)).toMatchObject({ nodes: 4, peakBytes: 40 });
  });

  it('skips nodes that no output depends on', () => {
    const graph = new Graph();
    const x = graph.input('x', 'float32', [dim('N')]);
    softmax(x, 0);
    graph.output('y', add(x, 1));
    expect(estimateGraphCost(graph, sizes).nodes).toBe(1);
  });

  it('names a size without a value', () => {
    const graph = new Graph();
    graph.output('y', add(graph.input('x', 'float32', [dim('M')]), 1));
    expect(() => estimateGraphCost(graph, sizes)).toThrow(/"M" has no value/);
  });
});
