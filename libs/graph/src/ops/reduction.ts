/**
 * @file Sums, means and extrema along axes. Softmax and its relatives are in softmax.ts.
 */
import { broadcastPositions, forEachLane } from '../arrays.js';
import { type Dim, dim, dimProduct } from '../dim.js';
import {
  apply,
  defineOp,
  type EvaluateContext,
  type NumericArray,
  type OpDefinition,
  type Sample,
} from '../op.js';
import { resolveAxis, type Shape } from '../shape.js';
import type { Tensor } from '../tensor.js';
import { div, mul, scale } from './elementwise.js';
import { broadcastTo, reshape } from './movement.js';
import { cast, equal } from './selection.js';
import { dimValue } from './sizes.js';

interface ReduceAttributes {
  readonly axes: readonly number[];
  readonly keepDims: boolean;
}

/** Which axes a reduction removes. */
export interface ReduceOptions {
  /** Axes to reduce, negative ones counted from the end; default all. */
  readonly axes?: readonly number[];
  /** Keeps reduced axes with size 1; default false. */
  readonly keepDims?: boolean;
}

function reducedShape(shape: Shape, axes: readonly number[], keepDims: boolean): Shape {
  if (keepDims) return shape.map((size, axis) => (axes.includes(axis) ? 1 : size));
  return shape.filter((_, axis) => !axes.includes(axis));
}

/** Restores reduced axes with size 1, so that the tensor broadcasts against the operand. */
function spread(x: Tensor, operand: Tensor, { axes, keepDims }: ReduceAttributes): Tensor {
  return keepDims ? x : reshape(x, reducedShape(operand.shape, axes, true));
}

const reduceSamples = (build: (x: Tensor, options: ReduceOptions) => Tensor): Sample[] => [
  { title: 'all axes', inputs: [{ shape: [2, 3] }], build: ([x]) => build(x as Tensor, {}) },
  {
    title: 'last axis kept',
    inputs: [{ shape: [2, 3] }],
    build: ([x]) => build(x as Tensor, { axes: [-1], keepDims: true }),
  },
  {
    title: 'first and last axis',
    inputs: [{ shape: [2, 3, 4] }],
    build: ([x]) => build(x as Tensor, { axes: [0, 2] }),
  },
  {
    title: 'a named axis',
    inputs: [{ shape: [dim('B'), 3] }],
    sizes: { B: 2 },
    build: ([x]) => build(x as Tensor, { axes: [0] }),
  },
];

function reduction(
  name: string,
  onnx: string,
  start: number,
  step: (sum: number, x: number) => number,
  finish: (sum: number, count: number) => number,
  rule: OpDefinition<ReduceAttributes>['gradient'],
): OpDefinition<ReduceAttributes> {
  const op: OpDefinition<ReduceAttributes> = defineOp<ReduceAttributes>({
    name,
    infer: ([x], { axes, keepDims }) => [
      { dtype: (x as Tensor).dtype, shape: reducedShape((x as Tensor).shape, axes, keepDims) },
    ],
    gradient: rule,
    evaluate: (context) => evaluateReduction(context, start, step, finish),
    encode: ({ emit, inputs, outputs, attributes: { axes, keepDims }, int64 }) =>
      emit(onnx, [inputs[0] as string, int64(axes)], outputs, { keepdims: Number(keepDims) }),
    samples: reduceSamples((x, options) => apply(op, [x], resolveReduction(name, x, options))).map(
      (sample) => ({
        ...sample,
        title: `${name} of ${sample.title}`,
      }),
    ),
  });
  return op;
}

function evaluateReduction(
  { inputs, outputs, attributes: { axes } }: EvaluateContext<ReduceAttributes>,
  start: number,
  step: (sum: number, x: number) => number,
  finish: (sum: number, count: number) => number,
): void {
  const [x, y] = [inputs[0], outputs[0]] as [NumericArray, NumericArray];
  const kept = x.shape.map((size, axis) => (axes.includes(axis) ? 1 : size));
  const places = broadcastPositions(kept, x.shape);
  const sums = new Float64Array(y.values.length).fill(start);
  for (let i = 0; i < x.values.length; i += 1) {
    const place = places[i] as number;
    sums[place] = step(sums[place] as number, x.values[i] as number);
  }
  const count = axes.reduce((product, axis) => product * (x.shape[axis] as number), 1);
  for (let i = 0; i < sums.length; i += 1) y.values[i] = finish(sums[i] as number, count);
}

const same = (sum: number): number => sum;

const SUM = reduction(
  'sum',
  'ReduceSum',
  0,
  (sum, x) => sum + x,
  same,
  ({ inputs, attributes, gradients }) => {
    const x = inputs[0] as Tensor;
    return [broadcastTo(spread(gradients[0] as Tensor, x, attributes), x.shape)];
  },
);

const MEAN = reduction(
  'mean',
  'ReduceMean',
  0,
  (sum, x) => sum + x,
  (sum, count) => sum / count,
  ({ inputs, attributes, gradients }) => {
    const x = inputs[0] as Tensor;
    const g = spread(gradients[0] as Tensor, x, attributes);
    return [
      broadcastTo(
        divideByDim(g, dimProduct(...attributes.axes.map((axis) => x.shape[axis] as Dim))),
        x.shape,
      ),
    ];
  },
);

/** Divides by a size, which may be named. */
function divideByDim(x: Tensor, size: Dim): Tensor {
  return typeof size === 'number' ? scale(x, 1 / size) : div(x, cast(dimValue(x.graph, size), x.dtype));
}

const extremum: OpDefinition<ReduceAttributes>['gradient'] = ({ inputs, outputs, attributes, gradients }) => {
  const x = inputs[0] as Tensor;
  const mask = cast(equal(x, spread(outputs[0] as Tensor, x, attributes)), x.dtype);
  const share = div(
    spread(gradients[0] as Tensor, x, attributes),
    sum(mask, { axes: attributes.axes, keepDims: true }),
  );
  return [mul(mask, share)];
};

const MAX = reduction('max', 'ReduceMax', -Infinity, Math.max, same, extremum);
const MIN = reduction('min', 'ReduceMin', Infinity, Math.min, same, extremum);

interface AxisAttributes {
  readonly axis: number;
}

interface CumSumAttributes extends AxisAttributes {
  readonly reverse: boolean;
}

const CUM_SUM: OpDefinition<CumSumAttributes> = defineOp<CumSumAttributes>({
  name: 'cumSum',
  infer: ([x]) => [x as Tensor],
  gradient: ({ attributes: { axis, reverse }, gradients }) => [
    cumSum(gradients[0] as Tensor, axis, { reverse: !reverse }),
  ],
  evaluate: ({ inputs, outputs, attributes: { axis, reverse } }) => {
    forEachLane(inputs[0] as NumericArray, axis, (lane, start, step) => {
      let total = 0;
      for (let k = 0; k < lane.length; k += 1) {
        const i = reverse ? lane.length - 1 - k : k;
        total += lane[i] as number;
        (outputs[0] as NumericArray).values[start + i * step] = total;
      }
    });
  },
  encode: ({ emit, inputs, outputs, attributes: { axis, reverse }, scalar }) =>
    emit('CumSum', [inputs[0] as string, scalar(axis, 'int64')], outputs, { reverse: Number(reverse) }),
  samples: [
    { title: 'cumSum forwards', inputs: [{ shape: [2, 4] }], build: ([x]) => cumSum(x as Tensor, -1) },
    {
      title: 'cumSum backwards',
      inputs: [{ shape: [3, 2] }],
      build: ([x]) => cumSum(x as Tensor, 0, { reverse: true }),
    },
    {
      title: 'cumSum of whole numbers',
      inputs: [{ shape: [4], dtype: 'int64', values: [1, 2, 0, 5] }],
      build: ([x]) => cumSum(x as Tensor, 0),
    },
  ],
});

/** Operators declared here. */
export const REDUCTIONS = [SUM, MEAN, MAX, MIN, CUM_SUM] as readonly OpDefinition<unknown>[];

function resolveReduction(
  op: string,
  x: Tensor,
  { axes, keepDims = false }: ReduceOptions,
): ReduceAttributes {
  const all = x.shape.map((_, axis) => axis);
  return { axes: axes === undefined ? all : axes.map((axis) => resolveAxis(op, axis, x.rank)), keepDims };
}

/** Adds up entries along axes. */
export function sum(x: Tensor, options: ReduceOptions = {}): Tensor {
  return apply(SUM, [x], resolveReduction('sum', x, options));
}

/** Averages entries along axes. */
export function mean(x: Tensor, options: ReduceOptions = {}): Tensor {
  return apply(MEAN, [x], resolveReduction('mean', x, options));
}

/** The maximum along axes; ties share the gradient. */
export function max(x: Tensor, options: ReduceOptions = {}): Tensor {
  return apply(MAX, [x], resolveReduction('max', x, options));
}

/** The minimum along axes; ties share the gradient. */
export function min(x: Tensor, options: ReduceOptions = {}): Tensor {
  return apply(MIN, [x], resolveReduction('min', x, options));
}

/** Inclusive cumulative sums along one axis, from the front or (`reverse`) from the end. */
export function cumSum(x: Tensor, axis: number, options: { readonly reverse?: boolean } = {}): Tensor {
  return apply(CUM_SUM, [x], {
    axis: resolveAxis('cumSum', axis, x.rank),
    reverse: options.reverse ?? false,
  });
}
