/**
 * @file Activation functions, with gradients in as few passes over memory as ONNX allows.
 */
import { mapBroadcast } from '../arrays.js';
import { apply, defineOp, type EncodeContext, type OpDefinition, requireSameDType } from '../op.js';
import { broadcastShapes } from '../shape.js';
import type { Tensor } from '../tensor.js';
import { add, addScalar, mul, scale, sub } from './elementwise.js';
import { keepApart } from './movement.js';

type Empty = Record<string, never>;

const logistic = (x: number): number => 1 / (1 + Math.exp(-x));

const SIGMOID: OpDefinition<Empty> = defineOp<Empty>({
  name: 'sigmoid',
  infer: ([x]) => [x as Tensor],
  gradient: ({ outputs, gradients }) => {
    const gy = mul(gradients[0] as Tensor, outputs[0] as Tensor);
    return [sub(gy, mul(gy, outputs[0] as Tensor))];
  },
  evaluate: (context) => mapBroadcast(context, (x) => logistic(x as number)),
  encode: ({ emit, inputs, outputs }) => emit('Sigmoid', inputs, outputs),
  samples: [{ title: 'sigmoid', inputs: [{ shape: [3, 4] }], build: ([x]) => sigmoid(x as Tensor) }],
});

const TANH: OpDefinition<Empty> = defineOp<Empty>({
  name: 'tanh',
  infer: ([x]) => [x as Tensor],
  gradient: ({ outputs, gradients }) => {
    const g = gradients[0] as Tensor;
    const y = outputs[0] as Tensor;
    return [sub(g, mul(g, mul(y, y)))];
  },
  evaluate: (context) => mapBroadcast(context, (x) => Math.tanh(x as number)),
  encode: ({ emit, inputs, outputs }) => emit('Tanh', inputs, outputs),
  samples: [{ title: 'tanh', inputs: [{ shape: [3, 4] }], build: ([x]) => tanh(x as Tensor) }],
});

/** d/dx of x·σ(x), as s + y·(1 − s) with s = σ(x) and y = x·s. */
function siluSlope(x: Tensor, s: Tensor): Tensor {
  const y = mul(x, s);
  return add(s, sub(y, mul(y, s)));
}

/** Emits x·σ(x) of the first input: one pass where the CPU's kernel for it fits, else two. */
function emitSilu({ emit, inputs, node, target, temporary }: EncodeContext<Empty>, output: string): void {
  const [x] = inputs as [string];
  if (target === 'cpu' && (node.inputs[0] as Tensor).dtype === 'float32') {
    return emit('com.microsoft.QuickGelu', [x], [output], { alpha: { float: 1 } });
  }
  const s = temporary();
  emit('Sigmoid', [x], [s]);
  emit('Mul', [x, s], [output]);
}

const SILU: OpDefinition<Empty> = defineOp<Empty>({
  name: 'silu',
  infer: ([x]) => [x as Tensor],
  gradient: ({ inputs, gradients }) => {
    const x = inputs[0] as Tensor;
    return [mul(gradients[0] as Tensor, siluSlope(x, sigmoid(x)))];
  },
  evaluate: (context) => mapBroadcast(context, (x) => (x as number) * logistic(x as number)),
  encode: (context) => emitSilu(context, context.outputs[0] as string),
  samples: [{ title: 'silu', inputs: [{ shape: [3, 4] }], build: ([x]) => silu(x as Tensor) }],
});

const SWI_GLU: OpDefinition<Empty> = defineOp<Empty>({
  name: 'swiGlu',
  isCheap: true,
  infer: (inputs) => {
    const [gate, up] = inputs as [Tensor, Tensor];
    return [
      { dtype: requireSameDType('swiGlu', inputs), shape: broadcastShapes('swiGlu', gate.shape, up.shape) },
    ];
  },
  gradient: ({ inputs, gradients }) => {
    const up = inputs[1] as Tensor;
    const g = gradients[0] as Tensor;
    const gate = keepApart(inputs[0] as Tensor, g);
    const s = sigmoid(gate);
    const y = silu(gate);
    const slope = add(s, sub(y, mul(y, s)));
    return [mul(mul(g, up), slope), mul(g, y)];
  },
  evaluate: (context) =>
    mapBroadcast(context, (...[x, u]) => (x as number) * logistic(x as number) * (u as number)),
  encode: (context) => {
    const y = context.temporary();
    emitSilu(context, y);
    context.emit('Mul', [y, context.inputs[1] as string], context.outputs);
  },
  samples: [
    {
      title: 'swiGlu',
      inputs: [{ shape: [3, 4] }, { shape: [3, 4] }],
      build: ([a, b]) => swiGlu(a as Tensor, b as Tensor),
    },
  ],
});

/** √(2/π) */
const GELU_SLOPE = Math.sqrt(2 / Math.PI);
const GELU_CUBE = 0.044715;

/** ½·x·(1 + tanh(√(2/π)·(x + 0.044715·x³))) */
const gelu = (x: number): number => 0.5 * x * (1 + Math.tanh(GELU_SLOPE * (x + GELU_CUBE * x ** 3)));

/** Emits the Gaussian error unit of the first input: one pass where the CPU's kernel for it fits. */
function emitGelu(
  { emit, inputs, node, target, temporary, scalar }: EncodeContext<Empty>,
  output: string,
): void {
  const [x] = inputs as [string];
  const { dtype } = node.inputs[0] as Tensor;
  if (target === 'cpu' && dtype === 'float32') return emit('com.microsoft.FastGelu', [x], [output]);
  const binary = (op: string, a: string, b: string, result = temporary()): string => {
    emit(op, [a, b], [result]);
    return result;
  };
  const cube = binary('Mul', binary('Mul', x, x), x);
  const inner = binary('Add', x, binary('Mul', cube, scalar(GELU_CUBE, dtype)));
  const bent = temporary();
  emit('Tanh', [binary('Mul', inner, scalar(GELU_SLOPE, dtype))], [bent]);
  binary('Mul', binary('Mul', x, scalar(0.5, dtype)), binary('Add', bent, scalar(1, dtype)), output);
}

const GE_GLU: OpDefinition<Empty> = defineOp<Empty>({
  name: 'geGlu',
  isCheap: true,
  infer: (inputs) => {
    const [gate, up] = inputs as [Tensor, Tensor];
    return [
      { dtype: requireSameDType('geGlu', inputs), shape: broadcastShapes('geGlu', gate.shape, up.shape) },
    ];
  },
  gradient: ({ inputs, gradients }) => {
    const gate = inputs[0] as Tensor;
    const up = inputs[1] as Tensor;
    const g = gradients[0] as Tensor;
    const square = mul(gate, gate);
    const inner = mul(gate, addScalar(scale(square, GELU_SLOPE * GELU_CUBE), GELU_SLOPE));
    const t = tanh(inner);
    const share = addScalar(scale(t, 0.5), 0.5); // of the gate that passes
    const steepness = addScalar(scale(square, 1.5 * GELU_SLOPE * GELU_CUBE), 0.5 * GELU_SLOPE);
    const slope = add(share, mul(mul(gate, steepness), sub(1, mul(t, t))));
    return [mul(mul(g, up), slope), mul(g, mul(gate, share))];
  },
  evaluate: (context) => mapBroadcast(context, (...[x, u]) => gelu(x as number) * (u as number)),
  encode: (context) => {
    const y = context.temporary();
    emitGelu(context, y);
    context.emit('Mul', [y, context.inputs[1] as string], context.outputs);
  },
  samples: [
    {
      title: 'geGlu',
      inputs: [{ shape: [3, 4] }, { shape: [3, 4] }],
      build: ([a, b]) => geGlu(a as Tensor, b as Tensor),
    },
  ],
});

/** Operators declared here. */
export const ACTIVATIONS = [SIGMOID, TANH, SILU, SWI_GLU, GE_GLU];

/** 1 / (1 + e^−x). */
export function sigmoid(x: Tensor): Tensor {
  return apply(SIGMOID, [x], {});
}

/** Hyperbolic tangent. */
export function tanh(x: Tensor): Tensor {
  return apply(TANH, [x], {});
}

/** x·σ(x); the backward pass recomputes the sigmoid instead of keeping it. */
export function silu(x: Tensor): Tensor {
  return apply(SILU, [x], {});
}

/**
 * silu(gate)·up in one operator; only `gate` and `up` are kept for the backward pass.
 *
 * @see Shazeer 2020, arXiv:2002.05202
 */
export function swiGlu(gate: Tensor, up: Tensor): Tensor {
  return apply(SWI_GLU, [gate, up], {});
}

/**
 * gelu(gate)·up in one operator, with the approximation of gelu by tanh.
 *
 * @see Hendrycks and Gimpel 2016, arXiv:1606.08415; Shazeer 2020, arXiv:2002.05202
 */
export function geGlu(gate: Tensor, up: Tensor): Tensor {
  return apply(GE_GLU, [gate, up], {});
}
