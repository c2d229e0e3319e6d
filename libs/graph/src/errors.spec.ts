import { expect, it } from 'vitest';
import { check } from './check.js';
import { dim } from './dim.js';
import { evaluate } from './evaluate.js';
import { gradient } from './gradient.js';
import { Graph } from './graph.js';
import { applyAll, defineOp, noGradient } from './op.js';
import { encode } from './onnx/encode.js';
import { add, floor, square } from './ops/elementwise.js';
import { gather } from './ops/indexing.js';
import { transpose } from './ops/movement.js';
import { sum } from './ops/reduction.js';
import { range } from './ops/sizes.js';

const pair = (graph = new Graph()) => graph.input('x', 'float32', [2]);

function withIndex(index: bigint): Graph {
  const graph = new Graph();
  graph.output('y', gather(pair(graph), graph.constant(BigInt64Array.of(index), undefined, [1]), 0));
  return graph;
}

it.each<[code: string, work: () => unknown]>([
  ['graph.shape_mismatch', () => add(pair(), pair().graph.constant([1, 2, 3], 'float32', [2]))],
  ['graph.dtype_mismatch', () => ((x) => add(x, x.graph.input('ids', 'int64', [2])))(pair())],
  ['graph.invalid_axis', () => transpose(pair(), [1])],
  ['graph.invalid_size', () => dim('a-b')],
  [
    'graph.unbound_size',
    () => {
      const graph = new Graph();
      graph.output('y', range(graph, dim('Q')));
      encode(graph);
    },
  ],
  ['graph.duplicate_name', () => pair(pair().graph).graph.input('x', 'float32', [3])],
  ['graph.foreign_tensor', () => add(pair(), pair())],
  ['graph.no_operand', () => applyAll(square(pair()).node.op, [], {})],
  [
    'graph.missing_gradient',
    () => defineOp({ ...square(pair()).node.op, name: 'new', gradient: noGradient('') }),
  ],
  ['graph.no_gradient', () => ((x) => gradient(sum(floor(x)), [x]))(pair())],
  ['graph.loss_not_scalar', () => ((x) => gradient(square(x), [x]))(pair())],
  [
    'graph.index_out_of_range',
    () => evaluate(withIndex(2n), { x: { shape: [2], values: Float32Array.of(1, 2) } }),
  ],
  ['graph.missing_feed', () => evaluate(withIndex(1n), {})],
  ['graph.illegal', () => check(new Graph())],
])('%s is thrown for its finding', (code, work) => {
  expect(work).toThrow(expect.objectContaining({ code }));
});
