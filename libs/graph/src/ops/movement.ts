/**
 * @file Operators that move entries without computing: reshape, transpose, join, cut, repeat, pad.
 * Cutting a whole axis into pieces is `split`, whose gradient is one `concat`; `slice` pads its gradient with zeros.
 */
import { AppError } from '@espalier/contracts';
import { mapBroadcast, positions, sizeOf, stridesOf } from '../arrays.js';
import { type Dim, dim, dimDifference, dimProduct, dimQuotient, dimSum, isSameDim } from '../dim.js';
import { apply, applyAll, defineOp, type NumericArray, type OpDefinition, requireSameDType } from '../op.js';
import { broadcastShapes, entryCount, isSameShape, printShape, resolveAxis, type Shape } from '../shape.js';
import type { Tensor } from '../tensor.js';

interface ShapeAttributes {
  readonly shape: Shape;
}

interface AxisAttributes {
  readonly axis: number;
}

const copy = ({
  inputs,
  outputs,
}: {
  inputs: readonly NumericArray[];
  outputs: readonly NumericArray[];
}): void => (outputs[0] as NumericArray).values.set((inputs[0] as NumericArray).values);

const RESHAPE: OpDefinition<ShapeAttributes> = defineOp<ShapeAttributes>({
  name: 'reshape',
  infer: ([x], { shape }) => [{ dtype: (x as Tensor).dtype, shape }],
  gradient: ({ inputs, gradients }) => [reshape(gradients[0] as Tensor, (inputs[0] as Tensor).shape)],
  evaluate: copy,
  encode: ({ emit, inputs, outputs, attributes, node, sizes, int64 }) => {
    const target = reshapeTarget((node.inputs[0] as Tensor).shape, attributes.shape);
    emit(
      'Reshape',
      [inputs[0] as string, target === undefined ? sizes(attributes.shape) : int64(target)],
      outputs,
    );
  },
  samples: [
    { title: 'reshape', inputs: [{ shape: [2, 6] }], build: ([x]) => reshape(x as Tensor, [3, -1]) },
    {
      title: 'reshape joins named axes',
      inputs: [{ shape: [dim('B'), dim('T'), 4] }],
      sizes: { B: 2, T: 3 },
      build: ([x]) => reshape(x as Tensor, [dimProduct(dim('B'), dim('T')), 2, 2]),
    },
    {
      title: 'reshape parts named axes',
      inputs: [{ shape: [dim('B'), dim('T'), 4] }],
      sizes: { B: 2, T: 3 },
      build: ([x]) => {
        const flat = reshape(x as Tensor, [dimProduct(dim('B'), dim('T')), 4]);
        return reshape(flat, [2, dim('T'), 2, dim('B')]);
      },
    },
  ],
});

/** The shape as ONNX constants (0 keeps an axis, −1 is inferred), or undefined where more than one size must be computed. */
function reshapeTarget(from: Shape, to: Shape): number[] | undefined {
  let inferredCount = 0;
  const target = to.map((size, axis) => {
    if (typeof size === 'number') return size;
    if (axis < from.length && isSameDim(from[axis] as Dim, size)) return 0;
    inferredCount += 1;
    return -1;
  });
  return inferredCount > 1 ? undefined : target;
}

interface TransposeAttributes {
  readonly perm: readonly number[];
}

const TRANSPOSE: OpDefinition<TransposeAttributes> = defineOp<TransposeAttributes>({
  name: 'transpose',
  infer: ([x], { perm }) => [
    { dtype: (x as Tensor).dtype, shape: perm.map((axis) => (x as Tensor).shape[axis] as Dim) },
  ],
  gradient: ({ attributes: { perm }, gradients }) => [
    transpose(
      gradients[0] as Tensor,
      perm.map((_, axis) => perm.indexOf(axis)),
    ),
  ],
  evaluate: ({ inputs, outputs, attributes: { perm } }) => {
    const [x, y] = [inputs[0], outputs[0]] as [NumericArray, NumericArray];
    const strides = stridesOf(x.shape);
    const places = positions(
      y.shape,
      perm.map((axis) => strides[axis] as number),
    );
    places.forEach((place, i) => (y.values[i] = x.values[place] as number));
  },
  encode: ({ emit, inputs, outputs, attributes: { perm } }) => emit('Transpose', inputs, outputs, { perm }),
  samples: [
    { title: 'transpose', inputs: [{ shape: [2, 3, 4] }], build: ([x]) => transpose(x as Tensor, [1, 2, 0]) },
  ],
});

const CONCAT: OpDefinition<AxisAttributes> = defineOp<AxisAttributes>({
  name: 'concat',
  infer: (inputs, { axis }) => {
    const first = inputs[0] as Tensor;
    for (const { shape } of inputs) {
      if (!isSameShape(withoutAxis(shape, axis), withoutAxis(first.shape, axis))) {
        throw new AppError(
          'graph.shape_mismatch',
          `concat: ${printShape(first.shape)} and ${printShape(shape)} along axis ${axis}; all other axes must agree`,
        );
      }
    }
    const total = dimSum(...inputs.map(({ shape }) => shape[axis] as Dim));
    return [
      {
        dtype: requireSameDType('concat', inputs),
        shape: first.shape.map((size, i) => (i === axis ? total : size)),
      },
    ];
  },
  gradient: ({ inputs, attributes: { axis }, gradients }) =>
    split(gradients[0] as Tensor, { axis, sizes: inputs.map(({ shape }) => shape[axis] as Dim) }),
  evaluate: ({ inputs, outputs, attributes: { axis } }) => {
    let at = 0;
    for (const input of inputs) {
      copyBlock(input, outputs[0] as NumericArray, axis, at, 'into');
      at += input.shape[axis] as number;
    }
  },
  encode: ({ emit, inputs, outputs, attributes: { axis } }) => emit('Concat', inputs, outputs, { axis }),
  samples: [
    {
      title: 'concat of three',
      inputs: [{ shape: [2, 1] }, { shape: [2, 3] }, { shape: [2, 2] }],
      build: (tensors) => concat(tensors, -1),
    },
    {
      title: 'concat of named sizes',
      inputs: [{ shape: [2, dim('P'), 2] }, { shape: [2, dim('T'), 2] }],
      sizes: { P: 3, T: 2 },
      build: (tensors) => concat(tensors, 1),
    },
  ],
});

const withoutAxis = (shape: Shape, axis: number): Shape => shape.filter((_, i) => i !== axis);

/** Copies a block that spans all axes but one, where it starts at `at`: block → whole, or whole → block. */
function copyBlock(
  block: NumericArray,
  whole: NumericArray,
  axis: number,
  at: number,
  direction: 'into' | 'outOf',
): void {
  const inner = sizeOf(block.shape.slice(axis + 1));
  const run = (block.shape[axis] as number) * inner;
  const stride = (whole.shape[axis] as number) * inner;
  for (let o = 0; o < sizeOf(block.shape.slice(0, axis)); o += 1) {
    for (let i = 0; i < run; i += 1) {
      const place = o * stride + at * inner + i;
      if (direction === 'into') whole.values[place] = block.values[o * run + i] as number;
      else block.values[o * run + i] = whole.values[place] as number;
    }
  }
}

interface SplitAttributes extends AxisAttributes {
  readonly sizes: readonly Dim[];
}

const SPLIT: OpDefinition<SplitAttributes> = defineOp<SplitAttributes>({
  name: 'split',
  infer: ([x], { axis, sizes }) => {
    const { dtype, shape } = x as Tensor;
    if (!isSameDim(dimSum(...sizes), shape[axis] as Dim)) {
      throw new AppError(
        'graph.shape_mismatch',
        `split: pieces ${printShape(sizes)} of axis ${axis} of ${printShape(shape)}; the pieces must add up to the axis`,
      );
    }
    return sizes.map((size) => ({ dtype, shape: shape.map((other, i) => (i === axis ? size : other)) }));
  },
  gradient: ({ outputs, attributes: { axis }, gradients }) => [
    concat(
      outputs.map((output, i) => gradients[i] ?? zeros(output, output.shape)),
      axis,
    ),
  ],
  evaluate: ({ inputs, outputs, attributes: { axis } }) => {
    let at = 0;
    for (const output of outputs) {
      copyBlock(output, inputs[0] as NumericArray, axis, at, 'outOf');
      at += output.shape[axis] as number;
    }
  },
  encode: ({ emit, inputs, outputs, attributes: { axis, sizes }, sizes: asTensor }) =>
    emit('Split', [inputs[0] as string, asTensor(sizes)], outputs, { axis }),
  samples: [
    {
      title: 'split',
      inputs: [{ shape: [2, 5] }],
      build: ([x]) => split(x as Tensor, { axis: 1, sizes: [1, 4] }),
    },
    {
      title: 'split with an unused piece',
      inputs: [{ shape: [4, 2] }],
      build: ([x]) => split(x as Tensor, { axis: 0, sizes: [1, 2, 1] })[1] as Tensor,
    },
  ],
});

interface SliceAttributes extends AxisAttributes {
  readonly start: Dim;
  readonly end: Dim;
}

const SLICE: OpDefinition<SliceAttributes> = defineOp<SliceAttributes>({
  name: 'slice',
  infer: ([x], { axis, start, end }) => {
    const { dtype, shape } = x as Tensor;
    const size = dimDifference(end, start);
    const whole = shape[axis] as Dim;
    const isOutside =
      [start, end, size].some((d) => typeof d === 'number' && d < 0) ||
      exceeds(end, whole) ||
      exceeds(start, whole);
    if (isOutside) {
      throw new AppError(
        'graph.shape_mismatch',
        `slice: ${String(start)} to ${String(end)} of axis ${axis} of ${printShape(shape)}; expected 0 <= start <= end <= size`,
      );
    }
    return [{ dtype, shape: shape.map((other, i) => (i === axis ? size : other)) }];
  },
  gradient: ({ inputs, attributes: { axis, start, end }, gradients }) => {
    const after = dimDifference((inputs[0] as Tensor).shape[axis] as Dim, end);
    return [pad(gradients[0] as Tensor, { axis, before: start, after })];
  },
  evaluate: ({ inputs, outputs, attributes: { axis, start }, sizeOf: numberOf }) =>
    copyBlock(outputs[0] as NumericArray, inputs[0] as NumericArray, axis, numberOf(start), 'outOf'),
  encode: ({ emit, inputs, outputs, attributes: { axis, start, end }, sizes, int64 }) =>
    emit('Slice', [inputs[0] as string, sizes([start]), sizes([end]), int64([axis])], outputs),
  samples: [
    {
      title: 'slice',
      inputs: [{ shape: [2, 5] }],
      build: ([x]) => slice(x as Tensor, { axis: 1, start: 1, end: 4 }),
    },
    {
      title: 'slice of a named axis',
      inputs: [{ shape: [2, dim('T'), 2] }],
      sizes: { T: 4 },
      build: ([x]) => slice(x as Tensor, { axis: 1, start: 1 }),
    },
  ],
});

const exceeds = (a: Dim, b: Dim): boolean => typeof a === 'number' && typeof b === 'number' && a > b;

interface PadAttributes extends AxisAttributes {
  readonly before: Dim;
  readonly after: Dim;
  readonly value: number;
}

const PAD: OpDefinition<PadAttributes> = defineOp<PadAttributes>({
  name: 'pad',
  infer: ([x], { axis, before, after }) => {
    const { dtype, shape } = x as Tensor;
    return [{ dtype, shape: shape.map((size, i) => (i === axis ? dimSum(before, size, after) : size)) }];
  },
  gradient: ({ inputs, attributes: { axis, before }, gradients }) => {
    const end = dimSum(before, (inputs[0] as Tensor).shape[axis] as Dim);
    return [slice(gradients[0] as Tensor, { axis, start: before, end })];
  },
  evaluate: ({ inputs, outputs, attributes: { axis, before, value }, sizeOf: numberOf }) => {
    const output = outputs[0] as NumericArray;
    output.values.fill(value);
    copyBlock(inputs[0] as NumericArray, output, axis, numberOf(before), 'into');
  },
  encode: ({
    emit,
    inputs,
    outputs,
    node,
    attributes: { axis, before, after, value },
    sizes,
    scalar,
    int64,
  }) => {
    const { dtype } = node.inputs[0] as Tensor;
    emit('Pad', [inputs[0] as string, sizes([before, after]), scalar(value, dtype), int64([axis])], outputs);
  },
  samples: [
    {
      title: 'pad',
      inputs: [{ shape: [2, 3] }],
      build: ([x]) => pad(x as Tensor, { axis: 1, before: 2, after: 1, value: 0.5 }),
    },
  ],
});

const EXPAND: OpDefinition<ShapeAttributes> = defineOp<ShapeAttributes>({
  name: 'broadcastTo',
  infer: ([x], { shape }) => {
    const from = x as Tensor;
    if (!isSameShape(broadcastShapes('broadcastTo', from.shape, shape), shape)) {
      throw new AppError(
        'graph.shape_mismatch',
        `broadcastTo: ${printShape(from.shape)} does not broadcast to ${printShape(shape)}; only axes of size 1 grow`,
      );
    }
    return [{ dtype: from.dtype, shape }];
  },
  gradient: ({ gradients }) => [gradients[0]],
  evaluate: (context) => mapBroadcast(context, (x) => x as number),
  encode: ({ emit, inputs, outputs, attributes, sizes }) =>
    emit('Expand', [inputs[0] as string, sizes(attributes.shape)], outputs),
  samples: [
    {
      title: 'broadcastTo',
      inputs: [{ shape: [2, 1] }],
      build: ([x]) => broadcastTo(x as Tensor, [3, 2, 4]),
    },
    {
      title: 'broadcastTo named sizes',
      inputs: [{ shape: [dim('B'), 1] }],
      sizes: { B: 2 },
      build: ([x]) => broadcastTo(x as Tensor, [dim('B'), 3]),
    },
  ],
});

/** Operators declared here. */
export const MOVEMENT = [
  RESHAPE,
  TRANSPOSE,
  CONCAT,
  SPLIT,
  SLICE,
  PAD,
  EXPAND,
] as readonly OpDefinition<unknown>[];

/** Gives the same entries another shape; one size may be −1 and is inferred. */
export function reshape(x: Tensor, shape: Shape): Tensor {
  const resolved = resolveShape(x.shape, shape);
  return isSameShape(resolved, x.shape) ? x : apply(RESHAPE, [x], { shape: resolved });
}

function resolveShape(from: Shape, to: Shape): Shape {
  const known = to.filter((size) => size !== -1);
  const inferred = dimQuotient(entryCount(from), entryCount(known));
  const isLegal =
    known.length === to.length
      ? isSameDim(entryCount(from), entryCount(to))
      : known.length === to.length - 1 && inferred !== undefined;
  if (!isLegal) {
    throw new AppError(
      'graph.shape_mismatch',
      `reshape: ${printShape(from)} to ${printShape(to)}; both must have the same number of entries, with at most one size −1`,
    );
  }
  return to.map((size) => (size === -1 ? (inferred as Dim) : size));
}

/** Reorders axes: axis i of the result is axis `perm[i]` of `x`. */
export function transpose(x: Tensor, perm: readonly number[]): Tensor {
  const axes = perm.map((axis) => resolveAxis('transpose', axis, x.rank));
  if (axes.length !== x.rank || new Set(axes).size !== x.rank) {
    throw new AppError(
      'graph.invalid_axis',
      `transpose: order [${perm.join(', ')}] of a tensor of rank ${x.rank}; every axis must be named once`,
    );
  }
  return axes.every((axis, i) => axis === i) ? x : apply(TRANSPOSE, [x], { perm: axes });
}

/** Inserts an axis of size 1 at `axis` of the result. */
export function expandDims(x: Tensor, axis: number): Tensor {
  const at = resolveAxis('expandDims', axis, x.rank + 1);
  return reshape(x, [...x.shape.slice(0, at), 1, ...x.shape.slice(at)]);
}

/** Removes an axis of size 1. */
export function squeeze(x: Tensor, axis: number): Tensor {
  const at = resolveAxis('squeeze', axis, x.rank);
  return reshape(x, withoutAxis(x.shape, at));
}

/** Joins tensors along an existing axis. */
export function concat(tensors: readonly Tensor[], axis: number): Tensor {
  const [first] = tensors;
  if (first !== undefined && tensors.length === 1) return first;
  return apply(CONCAT, tensors, { axis: resolveAxis('concat', axis, first?.rank ?? 0) });
}

/** Cuts an axis into pieces of the given sizes. */
export function split(
  x: Tensor,
  options: { readonly axis: number; readonly sizes: readonly Dim[] },
): readonly Tensor[] {
  if (options.sizes.length === 1) return [x];
  return applyAll(SPLIT, [x], { axis: resolveAxis('split', options.axis, x.rank), sizes: options.sizes });
}

/** Takes entries from `start` (default 0) up to, not including, `end` (default the size of the axis). */
export function slice(
  x: Tensor,
  options: { readonly axis: number; readonly start?: Dim; readonly end?: Dim },
): Tensor {
  const axis = resolveAxis('slice', options.axis, x.rank);
  const { start = 0, end = x.shape[axis] as Dim } = options;
  return start === 0 && isSameDim(end, x.shape[axis] as Dim) ? x : apply(SLICE, [x], { axis, start, end });
}

/** Adds entries of one value (default 0) before and after an axis. */
export function pad(
  x: Tensor,
  options: { readonly axis: number; readonly before: Dim; readonly after: Dim; readonly value?: number },
): Tensor {
  const { before, after, value = 0 } = options;
  if (before === 0 && after === 0) return x;
  return apply(PAD, [x], { axis: resolveAxis('pad', options.axis, x.rank), before, after, value });
}

/** Repeats entries along axes of size 1, or along new leading axes. */
export function broadcastTo(x: Tensor, shape: Shape): Tensor {
  return isSameShape(x.shape, shape) ? x : apply(EXPAND, [x], { shape });
}

/** Zeros of the dtype of `like`. */
export function zeros(like: Tensor, shape: Shape): Tensor {
  return broadcastTo(like.graph.constant(0, like.dtype), shape);
}
