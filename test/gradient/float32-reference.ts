/**
 * @file Reproduces, bit for bit, where transformers' Llama switches from float64 to float32: norms and the softmax of attention,
 * forward and backward, in the order in which PyTorch adds on a CPU with 16 float32 lanes. For tests only.
 * The exponential is the vector exponential PyTorch takes from SLEEF (Shibata & Petrogalli 2020, arXiv:2001.09258).
 */
import {
  apply,
  defineOp,
  mul,
  type NumericArray,
  OPERATORS,
  type OpDefinition,
  sum,
  type Tensor,
} from '@espalier/graph';

const round = Math.fround;
const plus = (a: number, b: number): number => round(a + b);
const fused = (a: number, b: number, c: number): number => round(a * b + c);

/** Makes operators of this process round as the reference does. */
export function roundAsReference(): void {
  Object.assign(operator('rmsNorm'), { evaluate: evaluateNorm, gradient: normGradient });
  Object.assign(operator('softmax'), {
    evaluate: ({ inputs, outputs }: Context) =>
      eachRow([...inputs, ...outputs], ([x, y]) => softmaxRow(x, y)),
    gradient: ({ outputs, gradients }: GradientContext) => [
      apply(SOFTMAX_GRADIENT, [outputs[0] as Tensor, gradients[0] as Tensor], {}),
    ],
  });
}

interface Context {
  readonly inputs: readonly NumericArray[];
  readonly outputs: readonly NumericArray[];
}

interface GradientContext {
  readonly inputs: readonly Tensor[];
  readonly outputs: readonly Tensor[];
  readonly gradients: readonly (Tensor | undefined)[];
}

type Row = Float64Array | Float32Array;
type Rows = [Row, Row, Row, Row];

function operator(name: string): OpDefinition<unknown> {
  const found = OPERATORS.find((op) => op.name === name);
  if (found === undefined) throw new RangeError(`there is no operator "${name}"`);
  return found as OpDefinition<unknown>;
}

/** Visits the rows of arrays together; an array without rows is passed whole each time. */
function eachRow(arrays: readonly NumericArray[], visit: (rows: Rows) => void): void {
  const first = arrays[0] as NumericArray;
  const count = first.shape.slice(0, -1).reduce((a, b) => a * b, 1);
  for (let i = 0; i < count; i += 1) {
    const rows = arrays.map(({ values, shape }) => {
      const width = shape.at(-1) as number;
      return shape.length === 1 ? values : values.subarray(i * width, (i + 1) * width);
    });
    visit(rows as Rows);
  }
}

function evaluateNorm({ inputs, outputs, attributes }: Context & { readonly attributes: unknown }): void {
  const epsilon = round((attributes as { readonly epsilon: number }).epsilon);
  eachRow([...inputs, ...outputs], ([x, weight, y, inverse]) => {
    const square = round(sumInOrder(Array.from(x, (v) => round(round(v) * round(v)))) / x.length);
    const r = round(1 / round(Math.sqrt(plus(square, epsilon))));
    inverse[0] = r;
    x.forEach((v, i) => (y[i] = round(round(v) * r) * (weight[i] as number)));
  });
}

function normGradient({ inputs, outputs, gradients }: GradientContext): Tensor[] {
  const [x, weight] = inputs as [Tensor, Tensor];
  const inverse = outputs[1] as Tensor;
  const g = gradients[0] as Tensor;
  const axes = x.shape.slice(0, -1).map((_, axis) => axis);
  return [
    apply(NORM_GRADIENT, [x, inverse, mul(g, weight)], {}),
    sum(mul(g, apply(NORM_UNIT, [x, inverse], {})), { axes }),
  ];
}

const NORM_UNIT = rowOp('roundedNormUnit', ([x, inverse, y]) => {
  x.forEach((v, i) => (y[i] = round(round(v) * (inverse[0] as number))));
});

const NORM_GRADIENT = rowOp('roundedNormGradient', ([x, inverse, g, y]) => {
  const r = inverse[0] as number;
  const h = Array.from(x, round);
  const incoming = Array.from(g, round);
  const pull = sumInOrder(h.map((v, i) => round((incoming[i] as number) * v)));
  const perEntry = round(round(round(-0.5 * pull) * round(round(r * r) * r)) / x.length);
  h.forEach((v, i) => (y[i] = plus(round((incoming[i] as number) * r), round(perEntry * round(2 * v)))));
});

const SOFTMAX_GRADIENT = rowOp('roundedSoftmaxGradient', ([p, g, y]) => {
  const incoming = Array.from(g, round);
  const total = sumInLanes(incoming.map((v, i) => round(v * (p[i] as number))));
  incoming.forEach((v, i) => (y[i] = round(round(v - total) * (p[i] as number))));
});

function rowOp(name: string, visit: (rows: Rows) => void): OpDefinition<Record<string, never>> {
  return defineOp<Record<string, never>>({
    name,
    infer: ([x]) => [x as Tensor],
    gradient: { reason: 'it is part of a gradient' },
    evaluate: ({ inputs, outputs }) => eachRow([...inputs, ...outputs], visit),
    encode: () => undefined,
    samples: [],
  });
}

function softmaxRow(x: Row, y: Row): void {
  const scores = Array.from(x, round);
  const peak = Math.max(...scores);
  const powers = scores.map((v) => exponential(round(v - peak)));
  const inverse = round(1 / sumInLanes(powers));
  powers.forEach((v, i) => (y[i] = round(v * inverse)));
}

/** A sum over an axis: 8 running sums of every eighth entry, added one after another (length a multiple of 8). */
function sumInOrder(values: readonly number[]): number {
  const lanes = values.slice(0, 8);
  for (let i = 8; i < values.length; i += 1) lanes[i % 8] = plus(lanes[i % 8] as number, values[i] as number);
  return lanes.reduce(plus);
}

/** A sum inside a softmax: 16 running sums, folded in halves (16 entries or more). */
function sumInLanes(values: readonly number[]): number {
  let lanes = values.slice(0, 16);
  for (let i = 16; i < values.length; i += 1)
    lanes[i % 16] = plus(lanes[i % 16] as number, values[i] as number);
  for (let half = 8; half >= 1; half /= 2)
    lanes = lanes.slice(0, half).map((v, i) => plus(v, lanes[i + half] as number));
  return lanes[0] as number;
}

const EXPONENTIAL = [
  0.000198527617612853646278381, 0.00139304355252534151077271, 0.00833336077630519866943359,
  0.0416664853692054748535156, 0.166666671633720397949219, 0.5,
].map(round);

function exponential(x: number): number {
  if (x < -104) return 0;
  const power = roundHalfToEven(round(x * round(Math.LOG2E)));
  const rest = fused(-power, round(1.428606765330187045e-6), fused(-power, round(0.693145751953125), x));
  const series = EXPONENTIAL.reduce((u, coefficient) => fused(u, rest, coefficient));
  return round(plus(1, fused(round(rest * rest), series, rest)) * 2 ** power);
}

function roundHalfToEven(x: number): number {
  return Math.abs(x % 1) === 0.5 ? 2 * Math.round(x / 2) : Math.round(x);
}
