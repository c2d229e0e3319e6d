/**
 * @file Elementwise arithmetic with broadcasting. A gradient rule may return the broadcast shape: gradient.ts sums
 * broadcast axes back for all operators.
 */
import { mapBroadcast } from '../arrays.js';
import {
  apply,
  defineOp,
  noGradient,
  type OpDefinition,
  requireSameDType,
  type Sample,
  toTensors,
} from '../op.js';
import { broadcastShapes } from '../shape.js';
import type { Operand, Tensor } from '../tensor.js';
import { equal, where } from './selection.js';

type Empty = Record<string, never>;
type BinaryGradient = (g: Tensor, a: Tensor, b: Tensor, y: Tensor) => readonly Tensor[];
type UnaryGradient = (g: Tensor, x: Tensor, y: Tensor) => Tensor;

const PAIRS: readonly Sample['inputs'][] = [
  [{ shape: [2, 3] }, { shape: [2, 3], range: [0.5, 2] }],
  [{ shape: [2, 3] }, { shape: [3], range: [0.5, 2] }],
  [{ shape: [2, 1, 3] }, { shape: [4, 1], range: [-2, -0.5] }],
];

function binary(
  name: string,
  onnx: string,
  compute: (a: number, b: number) => number,
  rule: BinaryGradient,
): OpDefinition<Empty> {
  const op: OpDefinition<Empty> = defineOp<Empty>({
    name,
    infer: (inputs) => {
      const [a, b] = inputs as [Tensor, Tensor];
      return [{ dtype: requireSameDType(name, inputs), shape: broadcastShapes(name, a.shape, b.shape) }];
    },
    gradient: ({ inputs, outputs, gradients }) =>
      rule(gradients[0] as Tensor, inputs[0] as Tensor, inputs[1] as Tensor, outputs[0] as Tensor),
    evaluate: (context) => mapBroadcast(context, compute as (...entries: number[]) => number),
    encode: ({ emit, inputs, outputs }) => emit(onnx, inputs, outputs),
    samples: PAIRS.map((inputs, index) => ({
      title: `${name} ${index}`,
      inputs,
      build: (tensors) => apply(op, tensors, {}),
    })),
  });
  return op;
}

function unary(
  name: string,
  onnx: string,
  compute: (x: number) => number,
  rule: UnaryGradient | string,
  range: readonly [number, number] = [-2, 2],
): OpDefinition<Empty> {
  const op: OpDefinition<Empty> = defineOp<Empty>({
    name,
    infer: ([x]) => [x as Tensor],
    gradient:
      typeof rule === 'string'
        ? noGradient(rule)
        : ({ inputs, outputs, gradients }) => [
            rule(gradients[0] as Tensor, inputs[0] as Tensor, outputs[0] as Tensor),
          ],
    evaluate: (context) => mapBroadcast(context, compute as (...entries: number[]) => number),
    encode: ({ emit, inputs, outputs }) => emit(onnx, inputs, outputs),
    samples: [
      { title: name, inputs: [{ shape: [3, 4], range }], build: (tensors) => apply(op, tensors, {}) },
    ],
  });
  return op;
}

const ADD = binary(
  'add',
  'Add',
  (a, b) => a + b,
  (g) => [g, g],
);
const SUB = binary(
  'sub',
  'Sub',
  (a, b) => a - b,
  (g) => [g, neg(g)],
);
const MUL = binary(
  'mul',
  'Mul',
  (a, b) => a * b,
  (g, a, b) => [mul(g, b), mul(g, a)],
);
const DIV = binary(
  'div',
  'Div',
  (a, b) => a / b,
  (g, _a, b, y) => {
    const overB = div(g, b);
    return [overB, neg(mul(overB, y))];
  },
);
const MAXIMUM = binary('maximum', 'Max', Math.max, (g, a, b, y) => [
  where(equal(a, y), g, 0),
  where(equal(a, y), 0, g),
]);
const MINIMUM = binary('minimum', 'Min', Math.min, (g, a, b, y) => [
  where(equal(a, y), g, 0),
  where(equal(a, y), 0, g),
]);
const NEG = unary(
  'neg',
  'Neg',
  (x) => -x,
  (g) => neg(g),
);
const EXP = unary('exp', 'Exp', Math.exp, (g, _x, y) => mul(g, y));
const LOG = unary('log', 'Log', Math.log, (g, x) => div(g, x), [0.3, 3]);
const SQRT = unary('sqrt', 'Sqrt', Math.sqrt, (g, _x, y) => div(scale(g, 0.5), y), [0.3, 3]);
const ABS = unary('abs', 'Abs', Math.abs, (g, x) => mul(g, sign(x)), [0.1, 2]);
const SIGN = unary('sign', 'Sign', Math.sign, 'the derivative of a step function is zero wherever it exists');
const RECIPROCAL = unary(
  'reciprocal',
  'Reciprocal',
  (x) => 1 / x,
  (g, _x, y) => neg(mul(g, square(y))),
  [0.4, 3],
);
const FLOOR = unary(
  'floor',
  'Floor',
  Math.floor,
  'the derivative of a step function is zero wherever it exists',
);

/** Operators declared here, in the order of their functions. */
export const ELEMENTWISE = [
  ADD,
  SUB,
  MUL,
  DIV,
  MAXIMUM,
  MINIMUM,
  NEG,
  EXP,
  LOG,
  SQRT,
  ABS,
  SIGN,
  RECIPROCAL,
  FLOOR,
];

/** Adds elementwise; shapes broadcast. */
export function add(a: Operand, b: Operand): Tensor {
  return apply(ADD, toTensors('add', [a, b]), {});
}

/** Subtracts `b` from `a` elementwise; shapes broadcast. */
export function sub(a: Operand, b: Operand): Tensor {
  return apply(SUB, toTensors('sub', [a, b]), {});
}

/** Multiplies elementwise; shapes broadcast. */
export function mul(a: Operand, b: Operand): Tensor {
  return apply(MUL, toTensors('mul', [a, b]), {});
}

/** Divides `a` by `b` elementwise; shapes broadcast. */
export function div(a: Operand, b: Operand): Tensor {
  return apply(DIV, toTensors('div', [a, b]), {});
}

/** Elementwise maximum; the gradient of ties goes to `a`. */
export function maximum(a: Operand, b: Operand): Tensor {
  return apply(MAXIMUM, toTensors('maximum', [a, b]), {});
}

/** Elementwise minimum; the gradient of ties goes to `a`. */
export function minimum(a: Operand, b: Operand): Tensor {
  return apply(MINIMUM, toTensors('minimum', [a, b]), {});
}

/** Negates each entry. */
export function neg(x: Tensor): Tensor {
  return apply(NEG, [x], {});
}

/** Raises e to each entry. */
export function exp(x: Tensor): Tensor {
  return apply(EXP, [x], {});
}

/** Natural logarithm. */
export function log(x: Tensor): Tensor {
  return apply(LOG, [x], {});
}

/** Square root. */
export function sqrt(x: Tensor): Tensor {
  return apply(SQRT, [x], {});
}

/** Absolute value; gradient 0 at 0. */
export function abs(x: Tensor): Tensor {
  return apply(ABS, [x], {});
}

/** −1, 0 or 1; no gradient. */
export function sign(x: Tensor): Tensor {
  return apply(SIGN, [x], {});
}

/** The reciprocal of each entry. */
export function reciprocal(x: Tensor): Tensor {
  return apply(RECIPROCAL, [x], {});
}

/** The largest integer not above each entry; no gradient. */
export function floor(x: Tensor): Tensor {
  return apply(FLOOR, [x], {});
}

/** The square of each entry. */
export function square(x: Tensor): Tensor {
  return mul(x, x);
}

/** Multiplies every entry by one number. */
export function scale(x: Tensor, factor: number): Tensor {
  return factor === 1 ? x : mul(x, factor);
}

/** Adds one number to every entry. */
export function addScalar(x: Tensor, summand: number): Tensor {
  return summand === 0 ? x : add(x, summand);
}
