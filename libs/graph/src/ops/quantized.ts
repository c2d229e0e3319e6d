/**
 * @file A product with a matrix of weights in int8. Each block of 32 weights along the inner axis has a scale; a code c
 * stands for (c − 128) · scale. The CPU kernel rounds activations to int8 too, block by block, unless it has no integer
 * instructions; the reference evaluation does not.
 */
import { AppError } from '@espalier/contracts';
import { apply, defineOp, noGradient, type NumericArray, type OpDefinition } from '../op.js';
import { printShape } from '../shape.js';
import type { Tensor } from '../tensor.js';

/** Weights that share a scale. */
export const QUANTIZED_BLOCK = 32;
/** The code of a weight of zero. */
export const QUANTIZED_ZERO = 128;
/** Lets the kernel compute with integers. */
const INT8_ACCURACY = 4;

const QUANTIZED_MATMUL: OpDefinition<Record<string, never>> = defineOp<Record<string, never>>({
  name: 'quantizedMatmul',
  infer: (inputs) => {
    const [x, codes, scales] = inputs as [Tensor, Tensor, Tensor];
    const inner = x.shape.at(-1);
    const [rows, blocks, width] = codes.shape;
    const isFitting =
      x.rank >= 2 &&
      typeof inner === 'number' &&
      codes.rank === 3 &&
      typeof rows === 'number' &&
      blocks === Math.ceil(inner / QUANTIZED_BLOCK) &&
      width === QUANTIZED_BLOCK &&
      scales.rank === 2 &&
      scales.shape[0] === rows &&
      scales.shape[1] === blocks;
    if (!isFitting)
      throw new AppError(
        'graph.shape_mismatch',
        `quantizedMatmul: ${printShape(x.shape)} times codes ${printShape(codes.shape)} with scales ${printShape(scales.shape)}; expected [.., K], [N, ⌈K/${QUANTIZED_BLOCK}⌉, ${QUANTIZED_BLOCK}] and [N, ⌈K/${QUANTIZED_BLOCK}⌉]`,
      );
    if (x.dtype !== 'float32' || codes.dtype !== 'uint8' || scales.dtype !== 'float32')
      throw new AppError(
        'graph.dtype_mismatch',
        `quantizedMatmul: operands are ${x.dtype}, ${codes.dtype} and ${scales.dtype}; expected float32, uint8 and float32`,
      );
    return [{ dtype: 'float32', shape: [...x.shape.slice(0, -1), rows] }];
  },
  gradient: noGradient('quantised weights are sampled from, never trained'),
  evaluate: ({ inputs, outputs }) => {
    const [x, codes, scales] = inputs as [NumericArray, NumericArray, NumericArray];
    const y = outputs[0] as NumericArray;
    const inner = x.shape.at(-1) as number;
    const [columns = 0, blocks = 0] = codes.shape;
    for (let place = 0; place < y.values.length; place += 1) {
      const row = Math.floor(place / columns);
      const column = place % columns;
      let sum = 0;
      for (let k = 0; k < inner; k += 1) {
        const block = column * blocks + Math.floor(k / QUANTIZED_BLOCK);
        const code = codes.values[block * QUANTIZED_BLOCK + (k % QUANTIZED_BLOCK)] as number;
        sum +=
          (x.values[row * inner + k] as number) * (code - QUANTIZED_ZERO) * (scales.values[block] as number);
      }
      y.values[place] = sum;
    }
  },
  encode: ({ emit, node, inputs, outputs }) => {
    const [x, codes] = node.inputs as [Tensor, Tensor];
    emit('com.microsoft.MatMulNBits', inputs, outputs, {
      K: x.shape.at(-1) as number,
      N: codes.shape[0] as number,
      bits: 8,
      block_size: QUANTIZED_BLOCK,
      accuracy_level: INT8_ACCURACY,
    });
  },
  samples: [
    {
      // whole numbers up to 127 in every block, which rounding to int8 leaves alone
      title: 'quantizedMatmul with a last block that is not full',
      inputs: [
        { shape: [3, 40], values: wholeNumbers(3, 40) },
        { shape: [5, 2, 32], dtype: 'uint8', values: codesOf(5 * 64) },
        { shape: [5, 2], range: [0.01, 0.1] },
      ],
      build: ([x, codes, scales]) => quantizedMatmul(x as Tensor, codes as Tensor, scales as Tensor),
    },
  ],
});

function wholeNumbers(rows: number, columns: number): number[] {
  return Array.from({ length: rows * columns }, (_, i) => {
    const inBlock = (i % columns) % QUANTIZED_BLOCK;
    return inBlock === 0 ? 127 : ((i * 37) % 255) - 127;
  });
}

function codesOf(count: number): number[] {
  return Array.from({ length: count }, (_, i) => 1 + ((i * 91) % 255));
}

/** Operators declared here. */
export const QUANTIZED = [QUANTIZED_MATMUL];

/**
 * Multiplies rows [.., K] by a matrix of N rows in int8: [.., N].
 *
 * @param codes  [N, ⌈K/32⌉, 32] uint8; what exceeds K is ignored
 * @param scales [N, ⌈K/32⌉]
 */
export function quantizedMatmul(x: Tensor, codes: Tensor, scales: Tensor): Tensor {
  return apply(QUANTIZED_MATMUL, [x, codes, scales], {});
}
