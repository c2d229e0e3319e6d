import { describe, expect, it } from 'vitest';
import { check } from './check.js';
import { dim } from './dim.js';
import { Graph } from './graph.js';
import { add } from './ops/elementwise.js';
import { range } from './ops/sizes.js';

function smallGraph(): Graph {
  const graph = new Graph();
  const x = graph.input('x', 'float32', ['B', 3]);
  graph.output('y', add(x, 1));
  return graph;
}

describe('check', () => {
  it('accepts a graph built by operators', () => {
    expect(() => check(smallGraph())).not.toThrow();
  });

  it('rejects a graph without outputs', () => {
    expect(() => check(new Graph())).toThrow('no outputs');
  });

  it('rejects a type that the operator does not infer', () => {
    const graph = smallGraph();
    const node = graph.outputs.get('y')?.node;
    Object.assign(node?.outputs[0] ?? {}, { dtype: 'int64' });
    expect(() => check(graph)).toThrow('has type int64 [B, 3], but its operator infers float32 [B, 3]');
  });

  it('rejects nodes out of order', () => {
    const graph = smallGraph();
    graph.nodes.reverse();
    expect(() => check(graph)).toThrow('is at index');
  });

  it('rejects a named size that no input has', () => {
    const graph = smallGraph();
    graph.output('indices', range(graph, dim('Q')));
    expect(() => check(graph)).toThrow('size "Q"');
  });

  it('rejects one name for an input and an output', () => {
    const graph = new Graph();
    graph.output('x', add(graph.input('x', 'float32', []), 1));
    expect(() => check(graph)).toThrow('both an input and an output');
  });
});
