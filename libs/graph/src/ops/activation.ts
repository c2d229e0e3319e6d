/**
 * @file Activation functions, with gradients in as few passes over memory as ONNX allows.
 */
import { mapBroadcast } from '../arrays.js';
import { apply, defineOp, type EncodeContext, type OpDefinition, requireSameDType } from '../op.js';
import { broadcastShapes } from '../shape.js';
import type { Tensor } from '../tensor.js';
import { add, mul, sub } from './elementwise.js';

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
    const [g, y] = [gradients[0] as Tensor, outputs[0] as Tensor];
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
  infer: (inputs) => {
    const [gate, up] = inputs as [Tensor, Tensor];
    return [
      { dtype: requireSameDType('swiGlu', inputs), shape: broadcastShapes('swiGlu', gate.shape, up.shape) },
    ];
  },
  gradient: ({ inputs, gradients }) => {
    const [gate, up, g] = [inputs[0] as Tensor, inputs[1] as Tensor, gradients[0] as Tensor];
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

/** Operators declared here. */
export const ACTIVATIONS = [SIGMOID, TANH, SILU, SWI_GLU];

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
