/**
 * @file Computes what depends on constants only, once, while the graph is built.
 */
import { createArray } from '../arrays.js';
import { CONSTANT, type ConstantTensor, type Graph } from '../graph.js';
import type { NumericArray } from '../op.js';
import { entryCount } from '../shape.js';
import type { Tensor } from '../tensor.js';
import { rebuild } from './rebuild.js';

/** A copy of the graph in which nodes over constants are constants, where these have at most `maxEntries` entries. */
export function foldConstants(graph: Graph, maxEntries = 4096): Graph {
  return rebuild(graph, (node, inputs, target) => {
    const isSmall = node.outputs.every(({ shape }) => {
      const count = entryCount(shape);
      return typeof count === 'number' && count <= maxEntries;
    });
    const isFoldable =
      inputs.length > 0 &&
      node.op.transparent !== true &&
      inputs.every((input) => input.node.op === CONSTANT);
    if (!isSmall || !isFoldable) return undefined;
    const outputs = node.outputs.map(({ dtype, shape }) =>
      createArray(dtype, shape as readonly number[], 'float32'),
    );
    node.op.evaluate({ inputs: inputs.map(arrayOf), outputs, attributes: node.attributes, sizeOf: Number });
    return outputs.map(({ dtype, shape, values }) => target.constant(values, dtype, shape));
  });
}

function arrayOf(tensor: Tensor): NumericArray {
  const shape = tensor.shape as readonly number[];
  const array = createArray(tensor.dtype, shape, 'float32');
  array.values.set((tensor.node.attributes as ConstantTensor).values);
  return array;
}
