/**
 * @file Tensors with values, as they enter and leave a session: views of typed arrays, never copies.
 */
import type { DType } from '@espalier/graph';
import type { MirroredArray } from './mirrored-array.js';

/** Arrays that can hold entries; bool is a Uint8Array of 0 and 1, float16 and bfloat16 are Uint16Arrays of bit patterns. */
export type EntryArray =
  | Float32Array
  | Float64Array
  | BigInt64Array
  | Int32Array
  | Int8Array
  | Uint8Array
  | Uint16Array;

/** A tensor backed by a typed array in row-major order; the caller owns the array. */
export interface RuntimeTensor {
  readonly dtype: DType;
  readonly shape: readonly number[];
  readonly values: EntryArray;
  /** what `values` is a part of, where that may lie on a device; reading `values` brings it to the host */
  readonly mirror?: Mirror;
}

/** A part of an array that may lie on a device. */
export interface Mirror {
  readonly array: MirroredArray;
  /** in entries */
  readonly start: number;
  readonly size: number;
}

/** The host's memory of a tensor that is about to be written in place. */
export const writable = ({ values, mirror }: RuntimeTensor): EntryArray =>
  mirror === undefined ? values : mirror.array.write().subarray(mirror.start, mirror.start + mirror.size);

/** The static type of an input or output: sizes are numbers, or names that a run binds. */
export interface TensorPort {
  readonly name: string;
  readonly dtype: DType;
  readonly shape: readonly (number | string)[];
}

/** The array that holds entries of each dtype. */
export const ENTRY_ARRAY = {
  float32: Float32Array,
  float64: Float64Array,
  float16: Uint16Array,
  bfloat16: Uint16Array,
  int64: BigInt64Array,
  int32: Int32Array,
  int8: Int8Array,
  uint8: Uint8Array,
  bool: Uint8Array,
} as const satisfies Record<DType, unknown>;

/** Creates a tensor of zeros. */
export function createTensor(dtype: DType, shape: readonly number[]): RuntimeTensor {
  return { dtype, shape, values: new ENTRY_ARRAY[dtype](shape.reduce((a, b) => a * b, 1)) };
}
