/**
 * @file Matrix products. Transposes and a scale factor are fused into the product, so no transposed copy is made.
 */
import { sizeOf, broadcastPositions } from '../arrays.js';
import { AppError } from '@espalier/contracts';
import { dimProduct, isSameDim } from '../dim.js';
import {
  apply,
  defineOp,
  type EncodeContext,
  type EvaluateContext,
  type NumericArray,
  type OpDefinition,
  requireSameDType,
  type Sample,
} from '../op.js';
import { broadcastShapes, printShape, type Shape } from '../shape.js';
import type { Tensor } from '../tensor.js';
import { reshape } from './movement.js';
import { rebuild } from './rebuild.js';

interface MatMulAttributes {
  readonly transposeA: boolean;
  readonly transposeB: boolean;
  readonly scale: number;
}

/** How operands enter a matrix product. */
export interface MatMulOptions {
  /** Swaps the last two axes of `a` first; default false. */
  readonly transposeA?: boolean;
  /** Swaps the last two axes of `b` first; default false. */
  readonly transposeB?: boolean;
  /** Factor of the product; default 1. */
  readonly scale?: number;
}

const lastTwo = <T>(shape: readonly T[], swap: boolean): [T, T] => {
  const [rows, columns] = shape.slice(-2) as [T, T];
  return swap ? [columns, rows] : [rows, columns];
};

const MATMUL: OpDefinition<MatMulAttributes> = defineOp<MatMulAttributes>({
  name: 'matmul',
  infer: (inputs, { transposeA, transposeB }) => {
    const dtype = requireSameDType('matmul', inputs);
    const [a, b] = inputs as [Tensor, Tensor];
    if (a.rank < 2 || b.rank < 2 || (b.rank === 2 && a.rank > 2 && transposeA)) {
      throw new AppError(
        'graph.shape_mismatch',
        `matmul: operands ${printShape(a.shape)} and ${printShape(b.shape)}; both need two axes or more, and a transposed left with batch axes needs a right with batch axes`,
      );
    }
    const [rows, inner] = lastTwo(a.shape, transposeA);
    const [otherInner, columns] = lastTwo(b.shape, transposeB);
    if (!isSameDim(inner, otherInner)) {
      throw new AppError(
        'graph.shape_mismatch',
        `matmul: inner sizes differ, got ${printShape(a.shape)}${transposeA ? ' transposed' : ''} and ${printShape(b.shape)}${transposeB ? ' transposed' : ''}; the last axis of the left must equal the second-last of the right`,
      );
    }
    return [
      {
        dtype,
        shape: [...broadcastShapes('matmul', a.shape.slice(0, -2), b.shape.slice(0, -2)), rows, columns],
      },
    ];
  },
  gradient: ({ inputs, attributes: { transposeA, transposeB, scale }, gradients }) => {
    const a = inputs[0] as Tensor;
    const b = inputs[1] as Tensor;
    const g = gradients[0] as Tensor;
    const da = transposeA
      ? matmul(b, g, { transposeA: transposeB, transposeB: true, scale })
      : matmul(g, b, { transposeB: !transposeB, scale });
    const [left, right] = b.rank === 2 ? [asRows(rebuild(a, g)), asRows(g)] : [a, g];
    const db = transposeB
      ? matmul(right, left, { transposeA: true, transposeB: transposeA, scale })
      : matmul(left, right, { transposeA: !transposeA, scale });
    return [da, db];
  },
  evaluate: evaluateMatMul,
  encode: encodeMatMul,
  samples: matMulSamples(),
});

/** [.., K] as [rows, K]. */
function asRows(x: Tensor): Tensor {
  if (x.rank === 2) return x;
  return reshape(x, [dimProduct(...x.shape.slice(0, -1)), x.shape.at(-1) as Shape[number]]);
}

function evaluateMatMul({ inputs, outputs, attributes }: EvaluateContext<MatMulAttributes>): void {
  const [a, b, y] = [inputs[0], inputs[1], outputs[0]] as [NumericArray, NumericArray, NumericArray];
  const [rows, columns] = lastTwo(y.shape, false);
  const inner = lastTwo(a.shape, attributes.transposeA)[1];
  const batch = y.shape.slice(0, -2);
  const placesA = broadcastPositions(a.shape.slice(0, -2), batch);
  const placesB = broadcastPositions(b.shape.slice(0, -2), batch);
  const [aRow, aInner] = attributes.transposeA ? [1, rows] : [inner, 1];
  const [bInner, bColumn] = attributes.transposeB ? [1, inner] : [columns, 1];
  for (let n = 0; n < sizeOf(batch); n += 1) {
    const startA = (placesA[n] as number) * rows * inner;
    const startB = (placesB[n] as number) * inner * columns;
    for (let i = 0; i < rows; i += 1) {
      for (let j = 0; j < columns; j += 1) {
        let sum = 0;
        for (let k = 0; k < inner; k += 1) {
          sum +=
            (a.values[startA + i * aRow + k * aInner] as number) *
            (b.values[startB + k * bInner + j * bColumn] as number);
        }
        y.values[(n * rows + i) * columns + j] = sum * attributes.scale;
      }
    }
  }
}

/** Tensors of ONNX in bfloat16 and in float32. */
const BFLOAT16 = 16;
const FLOAT = 1;

function encodeMatMul(context: EncodeContext<MatMulAttributes>): void {
  const { node, emit, temporary, inputs, outputs } = context;
  if (context.products === 'float32' || node.inputs[0]?.dtype !== 'float32') return encodeProduct(context);
  const product = temporary();
  const rounded = inputs.map((name) => {
    const factor = temporary();
    emit('Cast', [name], [factor], { to: BFLOAT16 });
    return factor;
  });
  encodeProduct({ ...context, inputs: rounded, outputs: [product] });
  emit('Cast', [product], outputs, { to: FLOAT });
}

function encodeProduct(context: EncodeContext<MatMulAttributes>): void {
  const { emit, inputs, outputs, node, target, attributes } = context;
  const { transposeA, transposeB, scale } = attributes;
  const [a, b] = node.inputs as [Tensor, Tensor];
  if (!transposeA && !transposeB && scale === 1) return emit('MatMul', inputs, outputs);
  const flags = { alpha: { float: scale }, transA: Number(transposeA), transB: Number(transposeB) };
  if (a.rank === 2 && b.rank === 2) return emit('Gemm', inputs, outputs, flags);
  if (target === 'cpu' && a.dtype === 'float32')
    return emit('com.microsoft.FusedMatMul', inputs, outputs, flags);
  const operands = [transposed(context, 0, transposeA), transposed(context, 1, transposeB)];
  if (scale === 1) return emit('MatMul', operands, outputs);
  const product = context.temporary();
  emit('MatMul', operands, [product]);
  emit('Mul', [product, context.scalar(scale, a.dtype)], outputs);
}

/** The name of an operand after a separate Transpose node of its last two axes. */
function transposed(
  { emit, inputs, node, temporary }: EncodeContext<MatMulAttributes>,
  index: 0 | 1,
  swap: boolean,
): string {
  const name = inputs[index] as string;
  if (!swap) return name;
  const { rank } = node.inputs[index] as Tensor;
  const perm = Array.from({ length: rank }, (_, axis) => (axis < rank - 2 ? axis : 2 * rank - 3 - axis));
  const result = temporary();
  emit('Transpose', [name], [result], { perm });
  return result;
}

function matMulSamples(): Sample[] {
  const cases: [string, number[], number[], MatMulOptions][] = [
    ['plain', [2, 3], [3, 4], {}],
    ['a transposed', [3, 2], [3, 4], { transposeA: true }],
    ['b transposed, scaled', [2, 3], [4, 3], { transposeB: true, scale: 0.5 }],
    ['both transposed', [3, 2], [4, 3], { transposeA: true, transposeB: true }],
    ['weights', [2, 2, 3], [3, 4], {}],
    ['weights transposed', [2, 2, 3], [4, 3], { transposeB: true, scale: 2 }],
    ['batched', [2, 2, 2, 3], [2, 2, 3, 4], {}],
    ['batched, b transposed', [2, 2, 3], [2, 4, 3], { transposeB: true, scale: 0.3 }],
    ['batched, both transposed', [2, 3, 2], [2, 4, 3], { transposeA: true, transposeB: true }],
    ['batch axes broadcast', [2, 1, 2, 3], [1, 3, 3, 2], {}],
  ];
  return cases.map(([title, a, b, options]) => ({
    title: `matmul ${title}`,
    inputs: [{ shape: a }, { shape: b }],
    build: ([x, y]) => matmul(x as Tensor, y as Tensor, options),
  }));
}

/** Operators declared here. */
export const LINEAR_ALGEBRA = [MATMUL];

/**
 * Multiplies matrices: [.., M, K] by [K, N] or [.., K, N] gives [.., M, N]; batch axes broadcast.
 *
 * A weight stored as [out, in] is used as `matmul(x, w, { transposeB: true })`.
 */
export function matmul(a: Tensor, b: Tensor, options: MatMulOptions = {}): Tensor {
  const { transposeA = false, transposeB = false, scale = 1 } = options;
  return apply(MATMUL, [a, b], { transposeA, transposeB, scale });
}
