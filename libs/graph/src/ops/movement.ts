/**
 * @file Operators that rearrange or repeat entries: reshape, transpose, broadcast. Joining and cutting are in joining.ts.
 */
import { AppError } from '@espalier/contracts';
import { mapBroadcast, positions, stridesOf } from '../arrays.js';
import { type Dim, dim, dimProduct, dimQuotient, isFixed, isSameDim } from '../dim.js';
import { apply, defineOp, type EncodeContext, type NumericArray, type OpDefinition } from '../op.js';
import { broadcastShapes, entryCount, isSameShape, printShape, resolveAxis, type Shape } from '../shape.js';
import type { Tensor } from '../tensor.js';

interface ShapeAttributes {
  readonly shape: Shape;
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

interface AfterAttributes {
  /** others run a node when something needs it */
  readonly isForRewritten: boolean;
}

/**
 * Its dependencies are read for their shape only, so they need no memory while it waits, and nothing is copied. To wait for a
 * shape that is known beforehand is not to wait: of such a tensor one entry is read.
 */
const AFTER: OpDefinition<AfterAttributes> = defineOp<AfterAttributes>({
  name: 'after',
  infer: ([x]) => [x as Tensor],
  gradient: ({ gradients }) => [gradients[0]],
  evaluate: copy,
  encode: (context) => {
    if (context.attributes.isForRewritten && !context.isRewritten)
      return context.emit('Identity', context.inputs.slice(0, 1), context.outputs);
    const { shape } = context.node.inputs[0] as Tensor;
    const isKnown =
      context.isRewritten || context.node.inputs.slice(1).some((earlier) => isFixed(earlier.shape));
    return isKnown ? waitForEntries(context) : waitForShapes(context, shape);
  },
  samples: [
    {
      title: 'after',
      inputs: [{ shape: [2, 3] }, { shape: [4] }],
      build: ([x, earlier]) => after(x as Tensor, [earlier as Tensor]),
    },
    {
      title: 'after two, one of them with named axes',
      inputs: [{ shape: [2, 3] }, { shape: [4, 1] }, { shape: [dim('B')] }],
      sizes: { B: 2 },
      build: ([x, ...earlier]) => after(x as Tensor, earlier as Tensor[]),
    },
    {
      title: 'after, for a runtime that fuses',
      inputs: [{ shape: [2, 3] }, { shape: [4] }],
      build: ([x, earlier]) => keepApart(x as Tensor, earlier as Tensor),
    },
    {
      title: 'after, named axes',
      inputs: [{ shape: [dim('B'), 3] }, { shape: [dim('B')] }],
      sizes: { B: 2 },
      build: ([x, earlier]) => after(x as Tensor, [earlier as Tensor]),
    },
  ],
});

function waitForShapes(
  { emit, inputs, outputs, sizes, temporary }: EncodeContext<unknown>,
  shape: Shape,
): void {
  const [x, ...earlier] = inputs as [string, ...string[]];
  const nothing = earlier.map((name) => {
    const empty = temporary();
    emit('Shape', [name], [empty], { start: 0, end: 0 });
    return empty;
  });
  const target = temporary();
  emit('Concat', [sizes(shape), ...nothing], [target], { axis: 0 });
  emit('Reshape', [x, target], outputs);
}

/** Chooses between x and x by whether an entry equals itself. */
function waitForEntries({ emit, inputs, outputs, int64, temporary }: EncodeContext<unknown>): void {
  const [x, ...earlier] = inputs as [string, ...string[]];
  const conditions = earlier.map((name) => {
    const [flat, entry, condition] = [temporary(), temporary(), temporary()];
    emit('Reshape', [name, int64([-1])], [flat]);
    emit('Gather', [flat, int64([0])], [entry], { axis: 0 });
    emit('Equal', [entry, entry], [condition]);
    return condition;
  });
  const all = conditions.reduce((one, other) => {
    const both = temporary();
    emit('And', [one, other], [both]);
    return both;
  });
  emit('Where', [all, x, x], outputs);
}

/** The shape as ONNX constants (0 keeps an axis, −1 is inferred), or undefined when more than one size must be computed. */
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
  isCheap: true,
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
export const MOVEMENT = [RESHAPE, TRANSPOSE, EXPAND, AFTER] as readonly OpDefinition<unknown>[];

/** Changes the shape; one size may be −1 and is inferred. */
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
      `transpose: order [${perm.join(', ')}] of a tensor of rank ${x.rank}; every axis must occur once`,
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
  return reshape(
    x,
    x.shape.filter((_, i) => i !== at),
  );
}

/** Repeats entries along axes of size 1, or along new leading axes. */
export function broadcastTo(x: Tensor, shape: Shape): Tensor {
  return isSameShape(x.shape, shape) ? x : apply(EXPAND, [x], { shape });
}

/** Zeros of the dtype of `like`. */
export function zeros(like: Tensor, shape: Shape): Tensor {
  return broadcastTo(like.graph.constant(0, like.dtype), shape);
}

/** The same tensor, and nothing that reads it runs before `earlier` is computed: a runtime orders nodes by their inputs alone. */
export function after(x: Tensor, earlier: readonly Tensor[]): Tensor {
  return earlier.length === 0 ? x : apply(AFTER, [x, ...earlier], { isForRewritten: false });
}

/**
 * The same tensor, for operators of the backward pass: a runtime that fuses operators would compute them together with those of
 * the forward pass, and keep their results until `gradient` is there.
 */
export function keepApart(x: Tensor, gradient: Tensor): Tensor {
  return apply(AFTER, [x, gradient], { isForRewritten: true });
}
