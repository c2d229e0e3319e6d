/**
 * @file Compact weights in graphs: codes and scales are inputs, multiplied where a weight is used, so that only the
 * weights of what is being computed exist in float32.
 */
import {
  addScalar,
  after,
  cast,
  concat,
  type Dim,
  floor,
  gather,
  type Graph,
  matmul,
  mul,
  reshape,
  scale,
  sub,
  type Tensor,
  withGradient,
} from '@espalier/graph';
import { type BaseDtype, compactLayout, LOWEST_INT4, scalesName } from './compact-weights.js';

/** Declares the inputs of frozen parameters. */
export function declareBase(
  graph: Graph,
  shapes: ReadonlyMap<string, readonly number[]>,
  dtypeOf: (name: string, shape: readonly number[]) => BaseDtype,
): Map<string, Tensor> {
  const inputs = new Map<string, Tensor>();
  for (const [name, shape] of shapes) {
    const dtype = dtypeOf(name, shape);
    if (dtype === 'float32') {
      inputs.set(name, graph.input(name, 'float32', shape));
      continue;
    }
    const { codesType, codes, scales } = compactLayout(shape, dtype);
    inputs.set(name, graph.input(name, codesType, codes));
    inputs.set(scalesName(name), graph.input(scalesName(name), 'float32', scales));
  }
  return inputs;
}

/** A parameter in a graph: a tensor, or codes and scales. */
interface GraphWeight {
  readonly codes: Tensor;
  readonly scales?: Tensor | undefined;
}

const find = (parameters: ReadonlyMap<string, Tensor>, name: string): GraphWeight => {
  const codes = parameters.get(name);
  if (codes === undefined) throw new RangeError(`parameter "${name}" is not declared`);
  return { codes, scales: parameters.get(scalesName(name)) };
};

/** A matrix [out, in] in float32, made once `x` is there. */
export function matrixOf(parameters: ReadonlyMap<string, Tensor>, name: string, x: Tensor): Tensor {
  const { codes, scales } = find(parameters, name);
  return scales === undefined ? codes : widen(after(codes, [x]), scales);
}

/** Rows [N, in] times a matrix [out, in]. A compact one is widened for the product, and again for its gradient. */
export function multiply(parameters: ReadonlyMap<string, Tensor>, name: string, x: Tensor): Tensor {
  const product = matmul(x, matrixOf(parameters, name, x), { transposeB: true });
  if (!parameters.has(scalesName(name))) return product;
  return withGradient(product, [x], (g) => [matmul(g, matrixOf(parameters, name, g))]);
}

/** Rows of a table. */
export function lookUp(parameters: ReadonlyMap<string, Tensor>, name: string, ids: Tensor): Tensor {
  const { codes, scales } = find(parameters, name);
  return scales === undefined ? gather(codes, ids, 0) : widen(gather(codes, ids, 0), gather(scales, ids, 0));
}

/** [rows, blocks, codes] times [rows, blocks, 1] as [rows, columns]. */
function widen(codes: Tensor, scales: Tensor): Tensor {
  const numbers = codes.dtype === 'uint8' ? numbersOfInt4(codes) : cast(codes, 'float32');
  const [rows, blocks, width] = numbers.shape as readonly [Dim, number, number];
  return reshape(mul(numbers, scales), [rows, blocks * width]);
}

/** Both halves of bytes, side by side. */
function numbersOfInt4(codes: Tensor): Tensor {
  const bytes = cast(codes, 'float32');
  const high = floor(scale(bytes, 1 / 16));
  const low = sub(bytes, scale(high, 16));
  return addScalar(concat([low, high], 2), LOWEST_INT4);
}
