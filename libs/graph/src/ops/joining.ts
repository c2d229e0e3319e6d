/**
 * @file Operators that join and cut along one axis: concat, split, slice, pad. To cut a whole axis into pieces use `split`,
 * whose gradient is one `concat`; `slice` pads its gradient with zeros.
 */
import { AppError } from '@espalier/contracts';
import { sizeOf } from '../arrays.js';
import { type Dim, dim, dimDifference, dimSum, isSameDim } from '../dim.js';
import { apply, applyAll, defineOp, type NumericArray, type OpDefinition, requireSameDType } from '../op.js';
import { isSameShape, printShape, resolveAxis, type Shape } from '../shape.js';
import type { Tensor } from '../tensor.js';
import { zeros } from './movement.js';

interface AxisAttributes {
  readonly axis: number;
}

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

/** Copies a block that spans all axes but one, where it starts at `at`: block → whole or whole → block. */
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

/** Operators declared here. */
export const JOINING = [CONCAT, SPLIT, SLICE, PAD] as readonly OpDefinition<unknown>[];

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
