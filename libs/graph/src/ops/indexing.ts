/**
 * @file Lookups by index and their gradients. Sums over equal indices use ScatterElements, never ScatterND, whose order of
 * additions, and so its result, varies between multi-threaded runs; it only replaces rows here.
 */
import { AppError } from '@espalier/contracts';
import { positions, sizeOf, stridesOf } from '../arrays.js';
import type { Dim } from '../dim.js';
import {
  apply,
  defineOp,
  type NumericArray,
  type OpDefinition,
  requireDType,
  requireSameDType,
} from '../op.js';
import { isSameShape, printShape, resolveAxis, type Shape } from '../shape.js';
import type { DType, Tensor } from '../tensor.js';
import { broadcastTo, expandDims, reshape, zeros } from './movement.js';

type Empty = Record<string, never>;

interface AxisAttributes {
  readonly axis: number;
}

const INDEX_TYPES: readonly DType[] = ['int64', 'int32'];

function gatheredShape(x: Shape, indices: Shape, axis: number): Shape {
  return [...x.slice(0, axis), ...indices, ...x.slice(axis + 1)];
}

const GATHER: OpDefinition<AxisAttributes> = defineOp<AxisAttributes>({
  name: 'gather',
  infer: (inputs, { axis }) => {
    const [x, indices] = inputs as [Tensor, Tensor];
    requireDType('gather', indices, INDEX_TYPES);
    return [{ dtype: x.dtype, shape: gatheredShape(x.shape, indices.shape, axis) }];
  },
  gradient: ({ inputs, attributes: { axis }, gradients }) => {
    const [x, indices] = inputs as [Tensor, Tensor];
    const before = x.shape.slice(0, axis);
    const after = x.shape.slice(axis + 1);
    const flat = reshape(indices, [-1]);
    const updates = reshape(gradients[0] as Tensor, [...before, flat.shape[0] as Dim, ...after]);
    const places = reshape(flat, [...before.map(() => 1), flat.shape[0] as Dim, ...after.map(() => 1)]);
    return [scatterAdd(zeros(x, x.shape), broadcastTo(places, updates.shape), updates, axis), undefined];
  },
  evaluate: ({ inputs, outputs, attributes: { axis } }) => {
    const [x, indices, y] = [inputs[0], inputs[1], outputs[0]] as [NumericArray, NumericArray, NumericArray];
    const inner = sizeOf(x.shape.slice(axis + 1));
    const size = x.shape[axis] as number;
    let at = 0;
    for (let o = 0; o < sizeOf(x.shape.slice(0, axis)); o += 1) {
      for (const index of indices.values) {
        const row = o * size + resolveIndex('gather', index, size);
        for (let i = 0; i < inner; i += 1, at += 1) y.values[at] = x.values[row * inner + i] as number;
      }
    }
  },
  encode: ({ emit, inputs, outputs, attributes: { axis } }) => emit('Gather', inputs, outputs, { axis }),
  samples: [
    {
      title: 'gather of rows, one of them twice',
      inputs: [{ shape: [4, 3] }, { shape: [2, 2], dtype: 'int64', values: [1, 3, 1, 0] }],
      build: ([x, indices]) => gather(x as Tensor, indices as Tensor, 0),
    },
    {
      title: 'gather along a middle axis',
      inputs: [{ shape: [2, 3, 2] }, { shape: [2], dtype: 'int64', values: [2, 2] }],
      build: ([x, indices]) => gather(x as Tensor, indices as Tensor, 1),
    },
  ],
});

function resolveIndex(op: string, index: number, size: number): number {
  const resolved = index < 0 ? index + size : index;
  if (resolved < 0 || resolved >= size) {
    throw new AppError(
      'graph.index_out_of_range',
      `${op}: index ${index} of an axis of size ${size}; expected ${-size} to ${size - 1}`,
    );
  }
  return resolved;
}

/** For every entry of `indices`, the position in an array of `shape` that it refers to along `axis`. */
function placesAlong(op: string, indices: NumericArray, shape: readonly number[], axis: number): Int32Array {
  const strides = stridesOf(shape);
  const places = positions(
    indices.shape,
    strides.map((stride, i) => (i === axis ? 0 : stride)),
  );
  return places.map(
    (place, i) =>
      place +
      resolveIndex(op, indices.values[i] as number, shape[axis] as number) * (strides[axis] as number),
  );
}

const GATHER_ELEMENTS: OpDefinition<AxisAttributes> = defineOp<AxisAttributes>({
  name: 'gatherElements',
  infer: (inputs) => {
    const [x, indices] = inputs as [Tensor, Tensor];
    requireDType('gatherElements', indices, INDEX_TYPES);
    if (x.rank !== indices.rank) {
      throw new AppError(
        'graph.shape_mismatch',
        `gatherElements: ${printShape(x.shape)} by ${printShape(indices.shape)}; both must have the same rank`,
      );
    }
    return [{ dtype: x.dtype, shape: indices.shape }];
  },
  gradient: ({ inputs, attributes: { axis }, gradients }) => {
    const [x, indices] = inputs as [Tensor, Tensor];
    return [scatterAdd(zeros(x, x.shape), indices, gradients[0] as Tensor, axis), undefined];
  },
  evaluate: ({ inputs, outputs, attributes: { axis } }) => {
    const [x, indices, y] = [inputs[0], inputs[1], outputs[0]] as [NumericArray, NumericArray, NumericArray];
    placesAlong('gatherElements', indices, x.shape, axis).forEach(
      (place, i) => (y.values[i] = x.values[place] as number),
    );
  },
  encode: ({ emit, inputs, outputs, attributes: { axis } }) =>
    emit('GatherElements', inputs, outputs, { axis }),
  samples: [
    {
      title: 'gatherElements of the last axis',
      inputs: [{ shape: [2, 4] }, { shape: [2, 2], dtype: 'int64', values: [3, 3, 0, 1] }],
      build: ([x, indices]) => gatherElements(x as Tensor, indices as Tensor, -1),
    },
  ],
});

const SCATTER_ADD: OpDefinition<AxisAttributes> = defineOp<AxisAttributes>({
  name: 'scatterAdd',
  infer: (inputs) => {
    const [target, indices, updates] = inputs as [Tensor, Tensor, Tensor];
    requireDType('scatterAdd', indices, INDEX_TYPES);
    if (!isSameShape(indices.shape, updates.shape) || target.rank !== updates.rank) {
      throw new AppError(
        'graph.shape_mismatch',
        `scatterAdd: indices ${printShape(indices.shape)} and updates ${printShape(updates.shape)} into ${printShape(target.shape)}; indices and updates must have one shape, with as many axes as the target`,
      );
    }
    return [{ dtype: requireSameDType('scatterAdd', [target, updates]), shape: target.shape }];
  },
  gradient: ({ inputs, attributes: { axis }, gradients }) => {
    const g = gradients[0] as Tensor;
    return [g, undefined, gatherElements(g, inputs[1] as Tensor, axis)];
  },
  evaluate: ({ inputs, outputs, attributes: { axis } }) => {
    const [target, indices, updates, y] = [...inputs, outputs[0]] as [
      NumericArray,
      NumericArray,
      NumericArray,
      NumericArray,
    ];
    y.values.set(target.values);
    placesAlong('scatterAdd', indices, target.shape, axis).forEach((place, i) => {
      y.values[place] = (y.values[place] as number) + (updates.values[i] as number);
    });
  },
  encode: ({ emit, inputs, outputs, attributes: { axis } }) =>
    emit('ScatterElements', inputs, outputs, { axis, reduction: 'add' }),
  samples: [
    {
      title: 'scatterAdd with equal indices',
      inputs: [
        { shape: [3, 2] },
        { shape: [4, 2], dtype: 'int64', values: [0, 1, 2, 1, 0, 0, 2, 1] },
        { shape: [4, 2] },
      ],
      build: ([target, indices, updates]) =>
        scatterAdd(target as Tensor, indices as Tensor, updates as Tensor, 0),
    },
  ],
});

const SCATTER_ROWS: OpDefinition<Empty> = defineOp<Empty>({
  name: 'scatterRows',
  infer: (inputs) => {
    const [target, indices, updates] = inputs as [Tensor, Tensor, Tensor];
    requireDType('scatterRows', indices, ['int64']);
    const [count, width] = indices.shape;
    const expected = [count as Dim, ...target.shape.slice(1)];
    if (indices.rank !== 2 || width !== 1 || !isSameShape(updates.shape, expected)) {
      throw new AppError(
        'graph.shape_mismatch',
        `scatterRows: rows ${printShape(updates.shape)} at indices ${printShape(indices.shape)} of ${printShape(target.shape)}; expected one index for each row, and rows as wide as the target's`,
      );
    }
    return [{ dtype: requireSameDType('scatterRows', [target, updates]), shape: target.shape }];
  },
  gradient: ({ inputs, gradients }) => {
    const [, indices, updates] = inputs as [Tensor, Tensor, Tensor];
    const g = gradients[0] as Tensor;
    const kept = apply(SCATTER_ROWS, [g, indices, zeros(updates, updates.shape)], {});
    return [kept, undefined, gather(g, reshape(indices, [-1]), 0)];
  },
  evaluate: ({ inputs, outputs }) => {
    const [target, indices, updates, y] = [...inputs, outputs[0]] as [
      NumericArray,
      NumericArray,
      NumericArray,
      NumericArray,
    ];
    const width = sizeOf(target.shape.slice(1));
    y.values.set(target.values);
    indices.values.forEach((index, i) => {
      const row = resolveIndex('scatterRows', index, target.shape[0] as number);
      for (let j = 0; j < width; j += 1) y.values[row * width + j] = updates.values[i * width + j] as number;
    });
  },
  encode: ({ emit, inputs, outputs }) => emit('ScatterND', inputs, outputs),
  samples: [
    {
      title: 'scatterRows at two places',
      inputs: [{ shape: [4, 3] }, { shape: [2, 1], dtype: 'int64', values: [3, 1] }, { shape: [2, 3] }],
      build: ([target, indices, updates]) =>
        scatterRows(target as Tensor, reshape(indices as Tensor, [-1]), updates as Tensor),
    },
  ],
});

/** Operators declared here. */
export const INDEXING = [GATHER, GATHER_ELEMENTS, SCATTER_ADD, SCATTER_ROWS];

/** Takes slices of `x` along `axis`: [.., N, ..] by indices [I..] gives [.., I.., ..]. */
export function gather(x: Tensor, indices: Tensor, axis: number): Tensor {
  return apply(GATHER, [x, indices], { axis: resolveAxis('gather', axis, x.rank) });
}

/** Takes one entry per index along `axis`; indices have the rank of `x`, the result has the shape of the indices. */
export function gatherElements(x: Tensor, indices: Tensor, axis: number): Tensor {
  return apply(GATHER_ELEMENTS, [x, indices], { axis: resolveAxis('gatherElements', axis, x.rank) });
}

/** Adds each update to the entry of `target` at its index along `axis`; equal indices add up in a fixed order. */
export function scatterAdd(target: Tensor, indices: Tensor, updates: Tensor, axis: number): Tensor {
  return apply(SCATTER_ADD, [target, indices, updates], {
    axis: resolveAxis('scatterAdd', axis, target.rank),
  });
}

/**
 * Replaces rows of `target` [N, ..] at distinct indices [I] by those of `updates` [I, ..]. Run with the target's own memory as its
 * result, it writes nothing else.
 */
export function scatterRows(target: Tensor, indices: Tensor, updates: Tensor): Tensor {
  return apply(SCATTER_ROWS, [target, expandDims(indices, 1), updates], {});
}
