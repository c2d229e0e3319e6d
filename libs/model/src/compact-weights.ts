/**
 * @file Frozen weights in 16, 8 or 4 bits: arrays of codes and of scales. The runtime takes neither bfloat16 nor int4 as
 * inputs, so a bfloat16 is held as a float16 and a power of two per row, and two int4 as one byte.
 */
import type { ModelConfig } from './families/model-family.js';
import { EMBEDDING, OUTPUT_HEAD, parameterShapes } from './model-weights.js';
import { bfloat16Of, decodeFloat16, roundShift } from './weights/float16.js';

/** Formats that frozen weights can be held in. */
export type BaseDtype = 'float32' | 'bfloat16' | 'int8' | 'int4';

type CompactDtype = Exclude<BaseDtype, 'float32'>;

/** Most weights in a row that share a scale, for integers. */
const MOST_IN_BLOCK = 64;
/** What an int4 code of zero stands for, in scales. */
export const LOWEST_INT4 = -8;

/** The codes and scales of a matrix. */
export interface CompactWeight {
  readonly dtype: CompactDtype;
  readonly codes: Uint16Array | Int8Array | Uint8Array;
  readonly scales: Float32Array;
  readonly layout: CompactLayout;
}

/** The shapes of codes and scales. */
export interface CompactLayout {
  readonly codesType: 'float16' | 'int8' | 'uint8';
  /** [rows, blocks, codes of a block] */
  readonly codes: readonly [number, number, number];
  /** [rows, blocks, 1] */
  readonly scales: readonly [number, number, number];
}

/**
 * The format that a weight of a base is held in: vectors stay float32, and tables over the vocabulary, which suffer most
 * from rounding, have bfloat16 where matrices have integers.
 */
export function heldDtype(name: string, shape: readonly number[], base: BaseDtype): BaseDtype {
  const [, columns] = shape;
  if (columns === undefined || base === 'float32') return 'float32';
  if (name === EMBEDDING || name === OUTPUT_HEAD) return 'bfloat16';
  return base === 'int4' && columns % 2 === 1 ? 'int8' : base;
}

/** The shapes of the codes and scales of a matrix. */
export function compactLayout(shape: readonly number[], dtype: CompactDtype): CompactLayout {
  const [rows, columns] = shape as readonly [number, number];
  if (dtype === 'bfloat16') return { codesType: 'float16', codes: [rows, 1, columns], scales: [rows, 1, 1] };
  const step = dtype === 'int4' ? 2 : 1;
  let block = Math.min(columns, MOST_IN_BLOCK);
  while (columns % block !== 0 || block % step !== 0) block -= 1;
  const blocks = columns / block;
  return {
    codesType: dtype === 'int4' ? 'uint8' : 'int8',
    codes: [rows, blocks, block / step],
    scales: [rows, blocks, 1],
  };
}

/** Weights that are rounded at a time. */
const PART = 2 ** 20;

/**
 * Rounds a matrix.
 *
 * @param read writes numbers of the matrix from a place on; parts are read, because the whole may be large
 */
export function compactWeight(
  shape: readonly number[],
  dtype: CompactDtype,
  read: (target: Float32Array, from: number) => void,
): CompactWeight {
  const layout = compactLayout(shape, dtype);
  const [rows, blocks, width] = layout.codes;
  const scales = new Float32Array(rows * blocks);
  const codes = new CODES[dtype](rows * blocks * width);
  const [, columns] = shape as readonly [number, number];
  const length = columns / blocks;
  const partRows = Math.max(1, Math.min(rows, Math.floor(PART / columns)));
  const part = new Float32Array(partRows * columns);
  for (let row = 0; row < rows; row += partRows) {
    const values = part.subarray(0, Math.min(partRows, rows - row) * columns);
    read(values, row * columns);
    for (let at = 0, block = row * blocks; at < values.length; at += length, block += 1)
      scales[block] = ROUND[dtype](
        values.subarray(at, at + length),
        codes.subarray(block * width, (block + 1) * width),
      );
  }
  return { dtype, codes, scales, layout };
}

const CODES = { bfloat16: Uint16Array, int8: Int8Array, int4: Uint8Array } as const;

/** Writes the codes of a block; returns its scale. */
const ROUND: Readonly<
  Record<CompactDtype, (values: Float32Array, codes: Uint16Array | Int8Array | Uint8Array) => number>
> = { bfloat16: roundToBfloat16, int8: roundToInt8, int4: roundToInt4 };

/** Exponent bits of 1 in bfloat16. */
const ONE_EXPONENT = 127;
/** Exponent bits of the largest float16. */
const TOP_EXPONENT = 30;
/** The scale of a row must be a normal number. */
const LEAST_EXPONENT = 1 + 15;

/**
 * Rounds to bfloat16 and writes each as the float16 with the same significand; the scale brings the largest exponent to
 * float16's. Exact down to 2^-31 of the largest; below it, digits are lost.
 */
function roundToBfloat16(values: Float32Array, codes: Uint16Array | Int8Array | Uint8Array): number {
  const words = new Uint32Array(values.buffer, values.byteOffset, values.length);
  let largest = 0;
  for (let i = 0; i < words.length; i += 1) largest = Math.max(largest, words[i]! & 0x7fffffff);
  const top = Math.max(LEAST_EXPONENT, bfloat16Of(largest) >>> 7);
  for (let i = 0; i < words.length; i += 1) {
    const half = bfloat16Of(words[i]!);
    const sign = half & 0x8000;
    const exponent = ((half >>> 7) & 0xff) - top + TOP_EXPONENT;
    if ((half & 0x7f80) === 0) codes[i] = sign;
    else if (exponent > 0) codes[i] = sign | (exponent << 10) | ((half & 0x7f) << 3);
    else codes[i] = exponent < -11 ? sign : sign | roundShift(0x400 | ((half & 0x7f) << 3), 1 - exponent);
  }
  return 2 ** (top - ONE_EXPONENT - 15);
}

/** Largest size / 127 per step, to nearest. */
function roundToInt8(values: Float32Array, codes: Uint16Array | Int8Array | Uint8Array): number {
  const size = Math.fround(Math.abs(farthestFromZero(values)) / 127);
  if (size > 0) values.forEach((value, i) => (codes[i] = Math.round(value / size)));
  return size;
}

/** The number farthest from zero gets the lowest code; low halves of bytes hold the first half of a block. */
function roundToInt4(values: Float32Array, codes: Uint16Array | Int8Array | Uint8Array): number {
  const size = Math.fround(farthestFromZero(values) / LOWEST_INT4);
  const half = codes.length;
  const codeOf = (value: number): number =>
    size === 0 ? -LOWEST_INT4 : Math.max(0, Math.min(15, Math.round(value / size) - LOWEST_INT4));
  for (let i = 0; i < half; i += 1) codes[i] = codeOf(values[i]!) | (codeOf(values[i + half]!) << 4);
  return size;
}

function farthestFromZero(values: Float32Array): number {
  let farthest = 0;
  for (const value of values) if (Math.abs(value) > Math.abs(farthest)) farthest = value;
  return farthest;
}

/** Writes what a compact weight stands for: the same bits as the graph computes. */
export function widenInto({ dtype, codes, scales }: CompactWeight, target: Float32Array): void {
  const length = target.length / scales.length;
  const width = codes.length / scales.length;
  scales.forEach((size, block) => {
    const own = codes.subarray(block * width, (block + 1) * width);
    const to = target.subarray(block * length, (block + 1) * length);
    if (dtype === 'bfloat16') for (let i = 0; i < width; i += 1) to[i] = decodeFloat16(own[i]!) * size;
    else if (dtype === 'int8') for (let i = 0; i < width; i += 1) to[i] = own[i]! * size;
    else
      for (let i = 0; i < width; i += 1) {
        to[i] = ((own[i]! & 15) + LOWEST_INT4) * size;
        to[i + width] = ((own[i]! >>> 4) + LOWEST_INT4) * size;
      }
  });
}

/** What the scales of a compact weight are called as an input. */
export const scalesName = (name: string): string => `${name}:scales`;

/** Bytes of all weights of a base. */
export function baseBytes(config: ModelConfig, base: BaseDtype): number {
  return [...parameterShapes(config)].reduce(
    (total, [name, shape]) => total + heldBytes(name, shape, base),
    0,
  );
}

/** Bytes of one of them. */
export function heldBytes(name: string, shape: readonly number[], base: BaseDtype): number {
  const dtype = heldDtype(name, shape, base);
  const count = (sizes: readonly number[]): number => sizes.reduce((a, b) => a * b, 1);
  if (dtype === 'float32') return 4 * count(shape);
  const { codesType, codes, scales } = compactLayout(shape, dtype);
  return (codesType === 'float16' ? 2 : 1) * count(codes) + 4 * count(scales);
}
