/**
 * @file Sorting along the last axis, for sampling from the most probable tokens. Of equal entries the first comes first,
 * but with OpenVINO, whose sort is not stable.
 */
import { forEachLane } from '../arrays.js';
import { applyAll, defineOp, noGradient, type NumericArray, type OpDefinition } from '../op.js';
import type { Dim } from '../dim.js';
import type { Tensor } from '../tensor.js';

type Empty = Record<string, never>;

const SORT_DESCENDING: OpDefinition<Empty> = defineOp<Empty>({
  name: 'sortDescending',
  infer: ([x]) => {
    const { dtype, shape } = x as Tensor;
    return [
      { dtype, shape },
      { dtype: 'int64', shape },
    ];
  },
  gradient: noGradient('a permutation is piecewise constant'),
  evaluate: ({ inputs, outputs }) => {
    const [x, sorted, order] = [inputs[0], ...outputs] as [NumericArray, NumericArray, NumericArray];
    forEachLane(x, x.shape.length - 1, (lane, start) => {
      const indices = Array.from(lane.keys()).sort(
        (a, b) => (lane[b] as number) - (lane[a] as number) || a - b,
      );
      indices.forEach((from, i) => {
        sorted.values[start + i] = lane[from] as number;
        order.values[start + i] = from;
      });
    });
  },
  encode: ({ emit, inputs, outputs, node, sizes }) => {
    const { shape, rank } = node.inputs[0] as Tensor;
    emit('TopK', [inputs[0] as string, sizes([shape[rank - 1] as Dim])], outputs, {
      axis: -1,
      largest: 1,
      sorted: 1,
    });
  },
  samples: [
    {
      title: 'sortDescending with equal entries',
      inputs: [{ shape: [2, 4], values: [1, 3, 3, -1, 0, 0, 2, 1], differentiable: false }],
      build: ([x]) => sortDescending(x as Tensor),
    },
  ],
});

/** Operators declared here. */
export const ORDERING = [SORT_DESCENDING];

/** Sorts each row in descending order; returns the entries and their indices. The sort is stable. */
export function sortDescending(x: Tensor): readonly [Tensor, Tensor] {
  return applyAll(SORT_DESCENDING, [x], {}) as readonly [Tensor, Tensor];
}
