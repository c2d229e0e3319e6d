/**
 * @file The number formats of a safetensors file and the typed arrays that hold them.
 * Half precision and bfloat16 are widened to float32 on reading; the eight-bit floats are not supported.
 */
import {
  decodeBfloat16,
  decodeFloat16,
  decodeHalves,
  encodeBfloat16,
  encodeFloat16,
  encodeHalves,
} from './float16.js';

export type WeightArray =
  | Float64Array
  | Float32Array
  | BigInt64Array
  | BigUint64Array
  | Int32Array
  | Uint32Array
  | Int16Array
  | Uint16Array
  | Int8Array
  | Uint8Array;

interface DtypeFormat {
  /** bytes per element */
  readonly size: number;
  /** `buffer` holds exactly the tensor's bytes */
  readonly decode: (buffer: ArrayBuffer) => WeightArray;
  /** absent where the array's own bytes are the file's bytes */
  readonly encode?: (values: ArrayLike<number>) => Uint16Array;
  /** with `encode`: the smallest float32 that it rounds to infinity */
  readonly overflow?: number;
}

/** Formats by the name used in a file's header. */
export const dtypeFormats = {
  F64: { size: 8, decode: (buffer) => new Float64Array(buffer) },
  F32: { size: 4, decode: (buffer) => new Float32Array(buffer) },
  F16: {
    size: 2,
    decode: (buffer) => decodeHalves(new Uint16Array(buffer), decodeFloat16),
    encode: (values) => encodeHalves(values, encodeFloat16),
    overflow: 65520,
  },
  BF16: {
    size: 2,
    decode: (buffer) => decodeHalves(new Uint16Array(buffer), decodeBfloat16),
    encode: (values) => encodeHalves(values, encodeBfloat16),
    overflow: 2 ** 128 * (1 - 2 ** -9),
  },
  I64: { size: 8, decode: (buffer) => new BigInt64Array(buffer) },
  U64: { size: 8, decode: (buffer) => new BigUint64Array(buffer) },
  I32: { size: 4, decode: (buffer) => new Int32Array(buffer) },
  U32: { size: 4, decode: (buffer) => new Uint32Array(buffer) },
  I16: { size: 2, decode: (buffer) => new Int16Array(buffer) },
  U16: { size: 2, decode: (buffer) => new Uint16Array(buffer) },
  I8: { size: 1, decode: (buffer) => new Int8Array(buffer) },
  U8: { size: 1, decode: (buffer) => new Uint8Array(buffer) },
  BOOL: { size: 1, decode: (buffer) => new Uint8Array(buffer) },
} as const satisfies Record<string, DtypeFormat>;

export type SafetensorsDtype = keyof typeof dtypeFormats;

/** Looks a format up by a name that may be anything. */
export function dtypeFormat(name: unknown): DtypeFormat | undefined {
  return typeof name === 'string' && Object.hasOwn(dtypeFormats, name)
    ? dtypeFormats[name as SafetensorsDtype]
    : undefined;
}
