/**
 * @file Root-mean-square normalization. The kernel's second output, the inverse root mean square, is used by the gradient.
 */
import { AppError } from '@espalier/contracts';
import { forEachLane } from '../arrays.js';
import { type Dim, dim, isSameDim } from '../dim.js';
import {
  applyAll,
  defineOp,
  type EncodeContext,
  type NumericArray,
  type OpDefinition,
  requireSameDType,
} from '../op.js';
import { printShape } from '../shape.js';
import type { Tensor } from '../tensor.js';
import { keepApart } from './movement.js';
import { mul, sub } from './elementwise.js';
import { mean, sum } from './reduction.js';

interface NormAttributes {
  readonly epsilon: number;
}

const RMS_NORM: OpDefinition<NormAttributes> = defineOp<NormAttributes>({
  name: 'rmsNorm',
  isCheap: true,
  infer: (inputs) => {
    const [x, weight] = inputs as [Tensor, Tensor];
    if (weight.rank !== 1 || x.rank < 1 || !isSameDim(weight.shape[0] as Dim, x.shape.at(-1) as Dim)) {
      throw new AppError(
        'graph.shape_mismatch',
        `rmsNorm: weight ${printShape(weight.shape)} for ${printShape(x.shape)}; expected one axis of the size of the last`,
      );
    }
    const dtype = requireSameDType('rmsNorm', inputs);
    return [
      { dtype, shape: x.shape },
      { dtype, shape: [...x.shape.slice(0, -1), 1] },
    ];
  },
  gradient: ({ inputs, outputs, gradients }) => {
    const [kept, weight] = inputs as [Tensor, Tensor];
    const inverse = outputs[1] as Tensor;
    const g = gradients[0] as Tensor;
    const x = keepApart(kept, g);
    const unit = mul(x, inverse); // [.., D]
    const gw = mul(g, weight);
    const pull = mean(mul(gw, unit), { axes: [-1], keepDims: true }); // [.., 1]
    const axes = x.shape.slice(0, -1).map((_, axis) => axis);
    return [mul(sub(gw, mul(unit, pull)), inverse), sum(mul(g, unit), { axes })];
  },
  evaluate: ({ inputs, outputs, attributes: { epsilon } }) => {
    const [x, weight, y, inverse] = [...inputs, ...outputs] as [
      NumericArray,
      NumericArray,
      NumericArray,
      NumericArray,
    ];
    forEachLane(x, x.shape.length - 1, (lane, start, step, index) => {
      const r = 1 / Math.sqrt(lane.reduce((total, v) => total + v * v, 0) / lane.length + epsilon);
      inverse.values[index] = r;
      lane.forEach((v, i) => (y.values[start + i * step] = v * r * (weight.values[i] as number)));
    });
  },
  encode: (context) => {
    const { emit, inputs, outputs, attributes } = context;
    const [y, inverse] = outputs as [string, string];
    if (context.target === 'webgpu') return encodeParts(context);
    emit('SimplifiedLayerNormalization', inputs, [y, inverse], {
      axis: -1,
      epsilon: { float: attributes.epsilon },
      stash_type: 1,
    });
  },
  samples: [
    {
      title: 'rmsNorm',
      inputs: [{ shape: [2, 3, 4] }, { shape: [4] }],
      build: ([x, weight]) => rmsNorm(x as Tensor, weight as Tensor, 1e-5),
    },
    {
      title: 'rmsNorm of named rows',
      inputs: [{ shape: [dim('B'), 6] }, { shape: [6] }],
      sizes: { B: 3 },
      build: ([x, weight]) => rmsNorm(x as Tensor, weight as Tensor, 1e-6),
    },
  ],
});

/** The kernel of WebGPU gives the mean square as its second output, where that of the CPU gives the inverse root. */
function encodeParts(context: EncodeContext<NormAttributes>): void {
  const { emit, node, inputs, outputs, attributes, temporary } = context;
  const [x, weight] = inputs as [string, string];
  const [y, inverse] = outputs as [string, string];
  const { dtype } = node.inputs[0] as Tensor;
  const [squares, mean, shifted, root, unit] = Array.from({ length: 5 }, temporary) as [
    string,
    string,
    string,
    string,
    string,
  ];
  emit('Mul', [x, x], [squares]);
  emit('ReduceMean', [squares, context.int64([-1])], [mean], { keepdims: 1 });
  emit('Add', [mean, context.scalar(attributes.epsilon, dtype)], [shifted]);
  emit('Sqrt', [shifted], [root]);
  emit('Reciprocal', [root], [inverse]);
  emit('Mul', [x, inverse], [unit]);
  emit('Mul', [unit, weight], [y]);
}

/** Operators declared here. */
export const NORMALIZATION = [RMS_NORM];

/**
 * Divides each row by its root mean square and multiplies by a weight: [.., D] and [D] give [.., D].
 *
 * @see Zhang and Sennrich 2019, arXiv:1910.07467
 */
export function rmsNorm(x: Tensor, weight: Tensor, epsilon: number): Tensor {
  return applyAll(RMS_NORM, [x, weight], { epsilon })[0] as Tensor;
}
