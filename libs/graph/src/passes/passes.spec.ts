import { describe, expect, it } from 'vitest';
import { check } from '../check.js';
import { evaluate } from '../evaluate.js';
import { CONSTANT, Graph } from '../graph.js';
import { add, exp, mul } from '../ops/elementwise.js';
import { stopGradient } from '../ops/selection.js';
import { dropDeadNodes } from './drop-dead-nodes.js';
import { foldConstants } from './fold-constants.js';

function sampleGraph(): Graph {
  const graph = new Graph();
  const x = graph.input('x', 'float32', ['B']);
  graph.input('unused', 'float32', [1]);
  exp(x);
  graph.output('y', add(stopGradient(x), mul(graph.constant([2]), exp(graph.constant([0])))));
  return graph;
}

const feeds = { x: { shape: [2], values: [1, 2] }, unused: { shape: [1], values: [0] } };

describe.each([
  ['dropDeadNodes', dropDeadNodes],
  ['foldConstants', foldConstants],
])('%s', (_, pass) => {
  it('keeps the graph legal, its inputs and its values', () => {
    const graph = pass(sampleGraph());
    check(graph);
    expect([...graph.inputs.keys()]).toEqual(['x', 'unused']);
    expect(Array.from(evaluate(graph, feeds)['y']?.values ?? [])).toEqual([3, 4]);
  });
});

describe('dropDeadNodes', () => {
  it('leaves out what no output needs and what only renames', () => {
    const names = dropDeadNodes(sampleGraph()).nodes.map(({ op }) => op.name);
    expect(names.filter((name) => name === 'exp')).toHaveLength(1);
    expect(names).not.toContain('stopGradient');
  });
});

describe('foldConstants', () => {
  it('leaves one constant of what depends on constants only', () => {
    const y = foldConstants(sampleGraph()).outputs.get('y');
    expect(y?.node.inputs[1]?.node.op).toBe(CONSTANT);
  });

  it('leaves large constants unmade', () => {
    const graph = new Graph();
    graph.output('y', exp(graph.constant(0, 'float32', [5000])));
    expect(foldConstants(graph).outputs.get('y')?.node.op.name).toBe('exp');
  });
});
