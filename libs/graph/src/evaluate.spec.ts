import { describe, expect, it } from 'vitest';
import { dim } from './dim.js';
import { evaluate } from './evaluate.js';
import { Graph } from './graph.js';
import { add, div } from './ops/elementwise.js';
import { gather } from './ops/indexing.js';
import { dimValue } from './ops/sizes.js';

describe('evaluate', () => {
  it('keeps float64 between nodes, or rounds to float32 when asked', () => {
    const graph = new Graph();
    const x = graph.input('x', 'float32', []);
    graph.output('third', div(x, 3));
    const feeds = { x: { shape: [], values: [1] } };
    expect(evaluate(graph, feeds)['third']?.values[0]).toBe(1 / 3);
    expect(evaluate(graph, feeds, { precision: 'float32' })['third']?.values[0]).toBe(Math.fround(1 / 3));
  });

  it('reads named sizes from the feeds', () => {
    const graph = new Graph();
    graph.input('x', 'float32', ['B', 'T']);
    graph.output('size', dimValue(graph, dim('T')));
    expect(evaluate(graph, { x: { shape: [1, 4], values: new Float32Array(4) } })['size']?.values[0]).toBe(4);
  });

  it('names the input whose shape contradicts another', () => {
    const graph = new Graph();
    graph.output('y', add(graph.input('a', 'float32', ['B']), graph.input('b', 'float32', ['B'])));
    const feeds = { a: { shape: [2], values: [1, 2] }, b: { shape: [3], values: [1, 2, 3] } };
    expect(() => evaluate(graph, feeds)).toThrow('input b: got [3]; expected [B] with B = 2');
  });

  it('names a missing feed and an index outside its axis', () => {
    const graph = new Graph();
    const x = graph.input('x', 'float32', [2, 1]);
    graph.output('row', gather(x, graph.input('ids', 'int64', [1]), 0));
    const rows = { shape: [2, 1], values: [1, 2] };
    expect(() => evaluate(graph, { x: rows })).toThrow('input "ids" has no feed');
    expect(() => evaluate(graph, { x: rows, ids: { shape: [1], values: BigInt64Array.of(2n) } })).toThrow(
      'index 2 of an axis of size 2',
    );
  });
});
