/**
 * @file Comparisons, logic, selection and casts. Comparisons return bool tensors, which have no gradient.
 */
import { mapBroadcast } from '../arrays.js';
import { ONNX_TYPE } from '../onnx/types.js';
import {
  apply,
  defineOp,
  noGradient,
  type OpDefinition,
  requireDType,
  requireSameDType,
  type Sample,
  toTensors,
} from '../op.js';
import { broadcastShapes } from '../shape.js';
import { type DType, isFloat, type Operand, type Tensor } from '../tensor.js';

type Empty = Record<string, never>;

function comparison(
  name: string,
  onnx: string,
  compute: (a: number, b: number) => boolean,
): OpDefinition<Empty> {
  const op: OpDefinition<Empty> = defineOp<Empty>({
    name,
    infer: (inputs) => {
      requireSameDType(name, inputs);
      const [a, b] = inputs as [Tensor, Tensor];
      return [{ dtype: 'bool', shape: broadcastShapes(name, a.shape, b.shape) }];
    },
    gradient: noGradient('a comparison returns bool'),
    evaluate: (context) => mapBroadcast(context, (...[a, b]) => (compute(a as number, b as number) ? 1 : 0)),
    encode: ({ emit, inputs, outputs }) => emit(onnx, inputs, outputs),
    samples: (['float32', 'int64'] as const).map((dtype) => ({
      title: `${name} ${dtype}`,
      inputs: [
        { shape: [5], dtype, values: [1, 2, 3, 4, 5] },
        { shape: [2, 1], dtype, values: [3, 4] },
      ],
      build: (tensors) => apply(op, tensors, {}),
    })),
  });
  return op;
}

const EQUAL = comparison('equal', 'Equal', (a, b) => a === b);
const LESS = comparison('less', 'Less', (a, b) => a < b);
const GREATER = comparison('greater', 'Greater', (a, b) => a > b);
const LESS_OR_EQUAL = comparison('lessOrEqual', 'LessOrEqual', (a, b) => a <= b);
const GREATER_OR_EQUAL = comparison('greaterOrEqual', 'GreaterOrEqual', (a, b) => a >= b);

const BITS: Sample['inputs'] = [
  { shape: [4], dtype: 'bool', values: [0, 0, 1, 1] },
  { shape: [4], dtype: 'bool', values: [0, 1, 0, 1] },
];

function logical(
  name: string,
  onnx: string,
  compute: (a: number, b: number) => boolean,
  arity: 1 | 2,
): OpDefinition<Empty> {
  const op: OpDefinition<Empty> = defineOp<Empty>({
    name,
    infer: (inputs) => {
      for (const input of inputs) requireDType(name, input, ['bool']);
      const [a, b] = inputs as [Tensor, Tensor | undefined];
      return [{ dtype: 'bool', shape: broadcastShapes(name, a.shape, b?.shape ?? []) }];
    },
    gradient: noGradient('logic operates on bool'),
    evaluate: (context) => mapBroadcast(context, (...[a, b]) => (compute(a as number, b ?? 0) ? 1 : 0)),
    encode: ({ emit, inputs, outputs }) => emit(onnx, inputs, outputs),
    samples: [{ title: name, inputs: BITS.slice(0, arity), build: (tensors) => apply(op, tensors, {}) }],
  });
  return op;
}

const AND = logical('logicalAnd', 'And', (a, b) => a !== 0 && b !== 0, 2);
const OR = logical('logicalOr', 'Or', (a, b) => a !== 0 || b !== 0, 2);
const NOT = logical('logicalNot', 'Not', (a) => a === 0, 1);

const WHERE: OpDefinition<Empty> = defineOp<Empty>({
  name: 'where',
  infer: (inputs) => {
    const [condition, a, b] = inputs as [Tensor, Tensor, Tensor];
    requireDType('where', condition, ['bool']);
    const shape = broadcastShapes('where', condition.shape, broadcastShapes('where', a.shape, b.shape));
    return [{ dtype: requireSameDType('where', [a, b]), shape }];
  },
  gradient: ({ inputs, gradients }) => {
    const condition = inputs[0] as Tensor;
    const g = gradients[0] as Tensor;
    return [undefined, where(condition, g, 0), where(condition, 0, g)];
  },
  evaluate: (context) => mapBroadcast(context, (...[c, a, b]) => (c !== 0 ? (a as number) : (b as number))),
  encode: ({ emit, inputs, outputs }) => emit('Where', inputs, outputs),
  samples: [
    {
      title: 'where with broadcast branches',
      inputs: [
        { shape: [2, 3], dtype: 'bool', values: [1, 0, 1, 0, 0, 1] },
        { shape: [3] },
        { shape: [2, 1] },
      ],
      build: (tensors) => apply(WHERE, tensors, {}),
    },
  ],
});

interface CastAttributes {
  readonly dtype: DType;
}

const CAST: OpDefinition<CastAttributes> = defineOp<CastAttributes>({
  name: 'cast',
  infer: ([x], { dtype }) => [{ dtype, shape: (x as Tensor).shape }],
  gradient: ({ inputs, gradients }) => {
    const { dtype } = inputs[0] as Tensor;
    return [isFloat(dtype) ? cast(gradients[0] as Tensor, dtype) : undefined];
  },
  evaluate: (context) => {
    const { dtype } = context.attributes;
    const isWhole = dtype === 'int32' || dtype === 'int64';
    mapBroadcast(context, (x = 0) => {
      if (dtype === 'bool') return Number(x !== 0);
      if (dtype === 'bfloat16') return roundToBfloat16(x);
      return isWhole ? Math.trunc(x) : x;
    });
  },
  encode: ({ emit, inputs, outputs, attributes }) =>
    emit('Cast', inputs, outputs, { to: ONNX_TYPE[attributes.dtype] }),
  samples: [
    { title: 'cast to float64', inputs: [{ shape: [4] }], build: ([x]) => cast(x as Tensor, 'float64') },
    { title: 'cast to int64', inputs: [{ shape: [4] }], build: ([x]) => cast(x as Tensor, 'int64') },
    {
      title: 'cast from bool',
      inputs: [{ shape: [2], dtype: 'bool', values: [1, 0] }],
      build: ([x]) => cast(x as Tensor, 'float32'),
    },
  ],
});

const float = new Float32Array(1);
const word = new Uint32Array(float.buffer);

/** The nearest number of bfloat16, ties to even. */
function roundToBfloat16(x: number): number {
  float[0] = x;
  const bits = word[0] as number;
  if (Number.isNaN(x)) return x;
  word[0] = (bits + 0x7fff + ((bits >>> 16) & 1)) & 0xffff0000;
  return float[0];
}

interface ClipAttributes {
  readonly low: number;
  readonly high: number;
}

const CLIP: OpDefinition<ClipAttributes> = defineOp<ClipAttributes>({
  name: 'clip',
  infer: ([x]) => [x as Tensor],
  gradient: ({ inputs, outputs, gradients }) => [
    where(equal(inputs[0] as Tensor, outputs[0] as Tensor), gradients[0] as Tensor, 0),
  ],
  evaluate: (context) => {
    const { low, high } = context.attributes;
    mapBroadcast(context, (x) => Math.min(Math.max(x as number, low), high));
  },
  encode: ({ emit, inputs, outputs, attributes: { low, high }, node, scalar }) => {
    const { dtype } = node.inputs[0] as Tensor;
    const bound = (value: number): string => (Number.isFinite(value) ? scalar(value, dtype) : '');
    emit('Clip', [inputs[0] as string, bound(low), bound(high)], outputs);
  },
  samples: [
    {
      title: 'clip on both sides',
      inputs: [{ shape: [3, 4] }],
      build: ([x]) => clip(x as Tensor, -0.7, 1.1),
    },
    {
      title: 'clip from above',
      inputs: [{ shape: [3, 4] }],
      build: ([x]) => clip(x as Tensor, -Infinity, 0.3),
    },
  ],
});

const STOP_GRADIENT: OpDefinition<Empty> = defineOp<Empty>({
  name: 'stopGradient',
  infer: ([x]) => [x as Tensor],
  gradient: () => [undefined],
  evaluate: (context) => mapBroadcast(context, (x) => x as number),
  encode: () => undefined,
  transparent: true,
  samples: [],
});

/** Operators declared here. */
export const SELECTION = [
  EQUAL,
  LESS,
  GREATER,
  LESS_OR_EQUAL,
  GREATER_OR_EQUAL,
  AND,
  OR,
  NOT,
  WHERE,
  CAST,
  CLIP,
  STOP_GRADIENT,
] as readonly OpDefinition<unknown>[];

/** Whether entries are equal, as bool; shapes broadcast. */
export function equal(a: Operand, b: Operand): Tensor {
  return apply(EQUAL, toTensors('equal', [a, b]), {});
}

/** Whether `a` is below `b`, as bool; shapes broadcast. */
export function less(a: Operand, b: Operand): Tensor {
  return apply(LESS, toTensors('less', [a, b]), {});
}

/** Whether `a` is above `b`, as bool; shapes broadcast. */
export function greater(a: Operand, b: Operand): Tensor {
  return apply(GREATER, toTensors('greater', [a, b]), {});
}

/** Whether `a` is at most `b`, as bool; shapes broadcast. */
export function lessOrEqual(a: Operand, b: Operand): Tensor {
  return apply(LESS_OR_EQUAL, toTensors('lessOrEqual', [a, b]), {});
}

/** Whether `a` is at least `b`, as bool; shapes broadcast. */
export function greaterOrEqual(a: Operand, b: Operand): Tensor {
  return apply(GREATER_OR_EQUAL, toTensors('greaterOrEqual', [a, b]), {});
}

/** Whether both are true; shapes broadcast. */
export function logicalAnd(a: Tensor, b: Tensor): Tensor {
  return apply(AND, [a, b], {});
}

/** Whether either is true; shapes broadcast. */
export function logicalOr(a: Tensor, b: Tensor): Tensor {
  return apply(OR, [a, b], {});
}

/** Logical negation. */
export function logicalNot(x: Tensor): Tensor {
  return apply(NOT, [x], {});
}

/** Takes `a` where the condition is true, `b` elsewhere; shapes broadcast. */
export function where(condition: Tensor, a: Operand, b: Operand): Tensor {
  return apply(WHERE, [condition, ...toTensors('where', [a, b])], {});
}

/** Changes the dtype; gradients flow between floating-point dtypes only. */
export function cast(x: Tensor, dtype: DType): Tensor {
  return x.dtype === dtype ? x : apply(CAST, [x], { dtype });
}

/** Limits entries to [low, high], either of which may be infinite; the gradient is zero outside. */
export function clip(x: Tensor, low: number, high: number): Tensor {
  return apply(CLIP, [x], { low, high });
}

/** The same values, treated as a constant by `gradient`. */
export function stopGradient(x: Tensor): Tensor {
  return apply(STOP_GRADIENT, [x], {});
}
