/**
 * @file Functions and methods of PyTorch that a traced loss may call, over tensors of our graph. They are listed here one by
 * one: nothing that a client sends is looked up elsewhere. Gradients are PyTorch's but where two arguments of a maximum or
 * minimum are equal: ours goes to the first, theirs to both by halves.
 */
import {
  abs,
  add,
  broadcastTo,
  cast,
  clip,
  cumSum,
  div,
  equal,
  exp,
  expandDims,
  floor,
  greater,
  greaterOrEqual,
  less,
  lessOrEqual,
  log,
  logicalAnd,
  logicalNot,
  logicalOr,
  max,
  maximum,
  mean,
  min,
  minimum,
  mul,
  neg,
  type Operand,
  reciprocal,
  scale,
  sigmoid,
  sign,
  sqrt,
  square,
  stopGradient,
  sub,
  sum,
  tanh,
  type Tensor,
  where,
} from '@espalier/graph';

/** What an argument can be once references are resolved. */
export type Value = Operand | boolean | string | null | undefined | Marker | readonly Value[];

/** A dtype or a device. */
export interface Marker {
  readonly kind: 'dtype' | 'device';
  readonly name: string;
}

/** A function: names of its parameters in order, and what it builds of their values. */
export interface TorchFunction {
  readonly parameters: readonly string[];
  build(values: Readonly<Record<string, Value>>, refuse: (reason: string) => never): Value;
}

export const isTensorValue = (value: Value): value is Tensor =>
  typeof value === 'object' && value !== null && 'node' in value;

/** Numbers of bools, as PyTorch promotes them. */
const real = (value: Operand): Operand =>
  typeof value !== 'number' && value.dtype !== 'float32' ? cast(value, 'float32') : value;

/** A tensor, which the value must be. */
function tensorOf(value: Value, refuse: (reason: string) => never): Tensor {
  return isTensorValue(value) ? value : refuse('expected a tensor');
}

function operandOf(value: Value, refuse: (reason: string) => never): Operand {
  if (typeof value === 'boolean') return Number(value);
  return typeof value === 'number' || isTensorValue(value) ? value : refuse('expected a tensor or a number');
}

const asBool = (x: Tensor): Tensor => (x.dtype === 'bool' ? x : logicalNot(equal(x, 0)));

function unary(build: (x: Tensor) => Tensor): TorchFunction {
  return {
    parameters: ['input'],
    build: ({ input }, refuse) => build(real(tensorOf(input, refuse)) as Tensor),
  };
}

function binary(build: (a: Operand, b: Operand) => Tensor, parameters = ['input', 'other']): TorchFunction {
  return {
    parameters,
    build: (values, refuse) => {
      const [a, b] = parameters.map((name) => real(operandOf(values[name], refuse))) as [Operand, Operand];
      return typeof a === 'number' && typeof b === 'number'
        ? refuse('two numbers and no tensor')
        : build(a, b);
    },
  };
}

/** `a + alpha · b` and its kin. */
function scaled(build: (a: Operand, b: Operand) => Tensor): TorchFunction {
  return {
    parameters: ['input', 'other', 'alpha'],
    build: ({ input, other, alpha = 1 }, refuse) => {
      if (typeof alpha !== 'number') return refuse('alpha must be a number');
      const factor = (b: Operand): Operand =>
        typeof b === 'number' ? alpha * b : alpha === 1 ? b : scale(b, alpha);
      return binary((a, b) => build(a, factor(b))).build({ input, other }, refuse);
    },
  };
}

const logical = (build: (a: Tensor, b: Tensor) => Tensor): TorchFunction => ({
  parameters: ['input', 'other'],
  build: ({ input, other }, refuse) =>
    build(asBool(tensorOf(input, refuse)), asBool(tensorOf(other, refuse))),
});

/** A reduction; tensors have one axis at most. */
function reduction(build: (x: Tensor) => Tensor): TorchFunction {
  return {
    parameters: ['input', 'dim', 'keepdim', 'dtype'],
    build: ({ input, dim, keepdim = false }, refuse) => {
      const x = real(tensorOf(input, refuse)) as Tensor;
      checkAxis(dim, x, refuse);
      const reduced = x.rank === 0 ? x : build(x);
      return keepdim === true && x.rank === 1 ? expandDims(reduced, 0) : reduced;
    },
  };
}

function checkAxis(dim: Value, { rank }: Tensor, refuse: (reason: string) => never): void {
  const axes = dim === undefined || dim === null ? [] : Array.isArray(dim) ? dim : [dim];
  if (axes.length > 1 || (axes.length === 1 && (rank === 0 || (axes[0] !== 0 && axes[0] !== -1))))
    refuse(`dim must be 0 or -1 of a tensor with one axis`);
}

function bound(value: Value, otherwise: number, refuse: (reason: string) => never): Operand {
  return value === undefined || value === null ? otherwise : real(operandOf(value, refuse));
}

function clampTo(x: Tensor, low: Operand, high: Operand): Tensor {
  if (typeof low === 'number' && typeof high === 'number') return clip(x, low, high);
  const raised = low === -Infinity ? x : maximum(x, low);
  return high === Infinity ? raised : minimum(raised, high);
}

const clamp: TorchFunction = {
  parameters: ['input', 'min', 'max'],
  build: ({ input, min: low, max: high }, refuse) =>
    clampTo(
      real(tensorOf(input, refuse)) as Tensor,
      bound(low, -Infinity, refuse),
      bound(high, Infinity, refuse),
    ),
};

const select = (parameters: readonly string[]): TorchFunction => ({
  parameters,
  build: ({ condition, input, other }, refuse) => {
    const [a, b] = [real(operandOf(input, refuse)), real(operandOf(other, refuse))];
    const chosen = asBool(tensorOf(condition, refuse));
    if (typeof a !== 'number' || typeof b !== 'number') return where(chosen, a, b);
    return where(chosen, chosen.graph.constant(a, 'float32'), b);
  },
});

/** Largest whole exponent that is multiplied out. */
const mostFactors = 16;

const pow: TorchFunction = {
  parameters: ['input', 'exponent'],
  build: ({ input, exponent }, refuse) => {
    const x = real(tensorOf(input, refuse)) as Tensor;
    if (exponent === 0.5) return sqrt(x);
    if (typeof exponent !== 'number' || !Number.isInteger(exponent) || Math.abs(exponent) > mostFactors)
      return refuse(`the exponent must be 0.5 or a whole number from -${mostFactors} to ${mostFactors}`);
    if (exponent === 0) return add(scale(x, 0), 1);
    const product = Array.from({ length: Math.abs(exponent) - 1 }).reduce<Tensor>(
      (power) => mul(power, x),
      x,
    );
    return exponent < 0 ? reciprocal(product) : product;
  },
};

/** log(1 + eˣ), without overflow. */
const softplus = (x: Tensor): Tensor => add(maximum(x, 0), log(add(exp(neg(abs(x))), 1)));

const constantLike = (value: number): TorchFunction => ({
  parameters: ['input', 'dtype', 'device'],
  build: ({ input }, refuse) => filled(tensorOf(input, refuse), value),
});

const filled = (like: Tensor, value: number): Tensor =>
  broadcastTo(like.graph.constant(value, 'float32'), like.shape);

const same: TorchFunction = { parameters: ['input'], build: ({ input }, refuse) => tensorOf(input, refuse) };

function convert(x: Tensor, to: Value, refuse: (reason: string) => never): Tensor {
  if (typeof to !== 'object' || to === null || !('kind' in to)) return refuse('expected a dtype or a device');
  if (to.kind === 'device') return x;
  if (to.name === 'bool') return asBool(x);
  return /^(float|bfloat|double)/.test(to.name)
    ? (real(x) as Tensor)
    : refuse(`dtype ${to.name}; floats and bool are known`);
}

/** Either the reduction of one tensor, or the function of two. */
const either = (one: TorchFunction, two: TorchFunction): TorchFunction => ({
  parameters: two.parameters,
  build: (values, refuse) => (values['other'] === undefined ? one : two).build(values, refuse),
});

const functions: Readonly<Record<string, TorchFunction>> = {
  add: scaled(add),
  sub: scaled(sub),
  mul: binary(mul),
  div: binary(div),
  neg: unary(neg),
  exp: unary(exp),
  expm1: unary((x) => sub(exp(x), 1)),
  log: unary(log),
  log1p: unary((x) => log(add(x, 1))),
  sqrt: unary(sqrt),
  rsqrt: unary((x) => reciprocal(sqrt(x))),
  square: unary(square),
  reciprocal: unary(reciprocal),
  abs: unary(abs),
  sign: unary(sign),
  floor: unary(floor),
  sigmoid: unary(sigmoid),
  tanh: unary(tanh),
  relu: { ...unary((x) => maximum(x, 0)), parameters: ['input', 'inplace'] },
  softplus: unary(softplus),
  logsigmoid: unary((x) => neg(softplus(neg(x)))),
  pow,
  maximum: binary(maximum),
  minimum: binary(minimum),
  max: either(reduction(max), binary(maximum)),
  min: either(reduction(min), binary(minimum)),
  amax: reduction(max),
  amin: reduction(min),
  sum: reduction(sum),
  mean: reduction(mean),
  cumsum: {
    parameters: ['input', 'dim'],
    build: ({ input, dim }, refuse) => {
      const x = real(tensorOf(input, refuse)) as Tensor;
      checkAxis(dim, x, refuse);
      return cumSum(x, 0);
    },
  },
  dot: binary((a, b) => sum(mul(a, b))),
  clamp,
  clamp_min: { parameters: ['input', 'min'], build: clamp.build },
  clamp_max: { parameters: ['input', 'max'], build: clamp.build },
  where: select(['condition', 'input', 'other']),
  masked_fill: {
    parameters: ['input', 'mask', 'value'],
    build: ({ input, mask, value }, refuse) =>
      select([]).build({ condition: mask, input: value, other: input }, refuse),
  },
  eq: binary(equal),
  ne: binary((a, b) => logicalNot(equal(a, b))),
  lt: binary(less),
  le: binary(lessOrEqual),
  gt: binary(greater),
  ge: binary(greaterOrEqual),
  logical_and: logical(logicalAnd),
  logical_or: logical(logicalOr),
  logical_not: {
    parameters: ['input'],
    build: ({ input }, refuse) => logicalNot(asBool(tensorOf(input, refuse))),
  },
  zeros_like: constantLike(0),
  ones_like: constantLike(1),
  full_like: {
    parameters: ['input', 'fill_value'],
    build: ({ input, fill_value: value }, refuse) =>
      typeof value === 'number'
        ? filled(tensorOf(input, refuse), value)
        : refuse('fill_value must be a number'),
  },
  detach: { parameters: ['input'], build: ({ input }, refuse) => stopGradient(tensorOf(input, refuse)) },
  clone: same,
  contiguous: same,
  float: unary((x) => x),
  double: unary((x) => x),
  bool: { parameters: ['input'], build: ({ input }, refuse) => asBool(tensorOf(input, refuse)) },
  to: {
    parameters: ['input', 'dtype'],
    build: ({ input, dtype }, refuse) => convert(tensorOf(input, refuse), dtype, refuse),
  },
};

/** Other names of the same functions. */
const aliases: Readonly<Record<string, string>> = {
  truediv: 'div',
  true_divide: 'div',
  divide: 'div',
  multiply: 'mul',
  subtract: 'sub',
  negative: 'neg',
  absolute: 'abs',
  clip: 'clamp',
  and_: 'logical_and',
  or_: 'logical_or',
  invert: 'logical_not',
  bitwise_and: 'logical_and',
  bitwise_or: 'logical_or',
  bitwise_not: 'logical_not',
  log_sigmoid: 'logsigmoid',
  type: 'to',
};

/** Modules whose functions count; PyTorch keeps some under inner names. */
const modules = /^(?:torch|torch\._C\._nn|torch\.nn\.functional|torch\.special|operator)\.(\w+)$/;

const own = (name: string): TorchFunction | undefined => {
  const known = aliases[name] ?? name;
  return Object.hasOwn(functions, known) ? functions[known] : undefined;
};

/** Finds a function by its qualified name. */
export const findFunction = (target: string): TorchFunction | undefined =>
  own(modules.exec(target)?.[1] ?? '');

/** Finds a method of tensors; `x.where(condition, other)` has an order of its own. */
export const findMethod = (name: string): TorchFunction | undefined =>
  name === 'where' ? select(['input', 'condition', 'other']) : own(name.replace(/^__(\w+)__$/, '$1'));

/** Names that a refusal can list. */
export const knownFunctions: readonly string[] = Object.keys(functions);
