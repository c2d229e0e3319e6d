/**
 * @file Softmax, log-softmax and log-sum-exp along one axis, without overflow.
 */
import { forEachLane } from '../arrays.js';
import { apply, defineOp, type NumericArray, type OpDefinition } from '../op.js';
import { resolveAxis } from '../shape.js';
import type { Tensor } from '../tensor.js';
import { mul, sub } from './elementwise.js';
import { expandDims } from './movement.js';
import { sum } from './reduction.js';

interface AxisAttributes {
  readonly axis: number;
}

interface LogSumExpAttributes extends AxisAttributes {
  readonly keepDims: boolean;
}

const LOG_SUM_EXP: OpDefinition<LogSumExpAttributes> = defineOp<LogSumExpAttributes>({
  name: 'logSumExp',
  infer: ([x], { axis, keepDims }) => {
    const { dtype, shape } = x as Tensor;
    return [{ dtype, shape: shape.flatMap((size, i) => (i !== axis ? [size] : keepDims ? [1] : [])) }];
  },
  gradient: ({ inputs, attributes: { axis, keepDims }, gradients }) => {
    const g = gradients[0] as Tensor;
    return [mul(softmax(inputs[0] as Tensor, axis), keepDims ? g : expandDims(g, axis))];
  },
  evaluate: ({ inputs, outputs, attributes }) => {
    forEachLane(inputs[0] as NumericArray, attributes.axis, (lane, _start, _step, index) => {
      (outputs[0] as NumericArray).values[index] = laneLogSumExp(lane);
    });
  },
  encode: ({ emit, inputs, outputs, attributes: { axis, keepDims }, int64, temporary }) => {
    const x = inputs[0] as string;
    const peak = temporary();
    const centred = temporary();
    const power = temporary();
    const total = temporary();
    const logarithm = temporary();
    emit('ReduceMax', [x, int64([axis])], [peak], { keepdims: 1 });
    emit('Sub', [x, peak], [centred]);
    emit('Exp', [centred], [power]);
    emit('ReduceSum', [power, int64([axis])], [total], { keepdims: 1 });
    emit('Log', [total], [logarithm]);
    if (keepDims) return emit('Add', [peak, logarithm], outputs);
    const kept = temporary();
    emit('Add', [peak, logarithm], [kept]);
    emit('Squeeze', [kept, int64([axis])], outputs);
  },
  samples: [
    {
      title: 'logSumExp of the last axis',
      inputs: [{ shape: [2, 5] }],
      build: ([x]) => logSumExp(x as Tensor, -1),
    },
    {
      title: 'logSumExp kept',
      inputs: [{ shape: [2, 3, 2] }],
      build: ([x]) => logSumExp(x as Tensor, 1, { keepDims: true }),
    },
  ],
});

function laneLogSumExp(lane: Float64Array): number {
  const peak = lane.reduce((a, b) => Math.max(a, b), -Infinity);
  return peak + Math.log(lane.reduce((total, x) => total + Math.exp(x - peak), 0));
}

function normalizing(
  name: string,
  onnx: string,
  finish: (x: number, total: number) => number,
  rule: OpDefinition<AxisAttributes>['gradient'],
): OpDefinition<AxisAttributes> {
  const op: OpDefinition<AxisAttributes> = defineOp<AxisAttributes>({
    name,
    infer: ([x]) => [x as Tensor],
    gradient: rule,
    evaluate: ({ inputs, outputs, attributes }) => {
      forEachLane(inputs[0] as NumericArray, attributes.axis, (lane, start, step) => {
        const total = laneLogSumExp(lane);
        lane.forEach((x, i) => ((outputs[0] as NumericArray).values[start + i * step] = finish(x, total)));
      });
    },
    encode: ({ emit, inputs, outputs, attributes: { axis }, int64, target, temporary }) => {
      if (onnx !== 'LogSoftmax' || target === 'cpu') return emit(onnx, inputs, outputs, { axis });
      const peak = temporary();
      const centred = temporary();
      const power = temporary();
      const total = temporary();
      const logarithm = temporary();
      emit('ReduceMax', [inputs[0] as string, int64([axis])], [peak], { keepdims: 1 });
      emit('Sub', [inputs[0] as string, peak], [centred]);
      emit('Exp', [centred], [power]);
      emit('ReduceSum', [power, int64([axis])], [total], { keepdims: 1 });
      emit('Log', [total], [logarithm]);
      emit('Sub', [centred, logarithm], outputs);
    },
    samples: [-1, 1].map((axis) => ({
      title: `${name} along axis ${axis}`,
      inputs: [{ shape: [2, 3, 4] }],
      build: ([x]) => apply(op, [x as Tensor], { axis: resolveAxis(name, axis, 3) }),
    })),
  });
  return op;
}

const SOFTMAX = normalizing(
  'softmax',
  'Softmax',
  (x, total) => Math.exp(x - total),
  ({ outputs, attributes: { axis }, gradients }) => {
    const p = outputs[0] as Tensor;
    const g = gradients[0] as Tensor;
    const pg = mul(p, g);
    return [sub(pg, mul(p, sum(pg, { axes: [axis], keepDims: true })))];
  },
);

const LOG_SOFTMAX = normalizing(
  'logSoftmax',
  'LogSoftmax',
  (x, total) => x - total,
  ({ inputs, attributes: { axis }, gradients }) => {
    const g = gradients[0] as Tensor;
    return [sub(g, mul(softmax(inputs[0] as Tensor, axis), sum(g, { axes: [axis], keepDims: true })))];
  },
);

/** Operators declared here. */
export const SOFTMAXES = [LOG_SUM_EXP, SOFTMAX, LOG_SOFTMAX] as readonly OpDefinition<unknown>[];

/** Logarithm of the sum of exponentials along one axis, without overflow. */
export function logSumExp(x: Tensor, axis: number, options: { readonly keepDims?: boolean } = {}): Tensor {
  return apply(LOG_SUM_EXP, [x], {
    axis: resolveAxis('logSumExp', axis, x.rank),
    keepDims: options.keepDims ?? false,
  });
}

/** Probabilities along one axis. */
export function softmax(x: Tensor, axis: number): Tensor {
  return apply(SOFTMAX, [x], { axis: resolveAxis('softmax', axis, x.rank) });
}

/** Logarithms of probabilities along one axis, in nats. */
export function logSoftmax(x: Tensor, axis: number): Tensor {
  return apply(LOG_SOFTMAX, [x], { axis: resolveAxis('logSoftmax', axis, x.rank) });
}
