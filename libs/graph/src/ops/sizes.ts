/**
 * @file Sizes as tensors: the value of a named size, and the indices along it.
 */
import { type Dim, dim } from '../dim.js';
import type { Graph } from '../graph.js';
import { defineOp, noGradient, type NumericArray, type OpDefinition } from '../op.js';
import type { Tensor } from '../tensor.js';

interface SizeAttributes {
  readonly size: Dim;
}

const SIZE: OpDefinition<SizeAttributes> = defineOp<SizeAttributes>({
  name: 'dimValue',
  infer: () => [{ dtype: 'int64', shape: [] }],
  gradient: noGradient('a size is an integer'),
  evaluate: ({ outputs, attributes, sizeOf }) => {
    (outputs[0] as NumericArray).values[0] = sizeOf(attributes.size);
  },
  encode: ({ emit, outputs, attributes, size }) => emit('Identity', [size(attributes.size)], outputs),
  samples: [
    {
      title: 'dimValue of B',
      inputs: [{ shape: [dim('B'), 2] }],
      sizes: { B: 3 },
      build: (_, graph) => dimValue(graph, dim('B')),
    },
  ],
});

const RANGE: OpDefinition<SizeAttributes> = defineOp<SizeAttributes>({
  name: 'range',
  infer: (_, { size }) => [{ dtype: 'int64', shape: [size] }],
  gradient: noGradient('an index is an integer'),
  evaluate: ({ outputs }) => (outputs[0] as NumericArray).values.forEach((_, i, values) => (values[i] = i)),
  encode: ({ emit, outputs, attributes, size, scalar }) =>
    emit('Range', [scalar(0, 'int64'), size(attributes.size), scalar(1, 'int64')], outputs),
  samples: [
    {
      title: 'range of B',
      inputs: [{ shape: [dim('B'), 2] }],
      sizes: { B: 3 },
      build: (_, graph) => range(graph, dim('B')),
    },
  ],
});

/** Operators declared here. */
export const SIZES = [SIZE, RANGE];

/** The value of a size, as an int64 scalar. */
export function dimValue(graph: Graph, size: Dim): Tensor {
  // computed from constants alone, it would stay in the host's memory, which kernels of a GPU cannot read
  if (typeof size === 'number') return graph.constant(size, 'int64');
  const attributes = { size };
  return graph.addNode(SIZE as OpDefinition<unknown>, [], attributes, SIZE.infer([], attributes))
    .outputs[0] as Tensor;
}

/** Indices 0, 1, … along a size, int64. */
export function range(graph: Graph, size: Dim): Tensor {
  const attributes = { size };
  return graph.addNode(RANGE as OpDefinition<unknown>, [], attributes, RANGE.infer([], attributes))
    .outputs[0] as Tensor;
}
