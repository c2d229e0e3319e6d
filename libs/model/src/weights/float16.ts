/**
 * @file Half precision and bfloat16 to and from float32, rounding to nearest, ties to even.
 * Works on bit patterns, because not every supported Node has a Float16Array.
 */

const floats = new Float32Array(1);
const bits = new Uint32Array(floats.buffer);

/** Rounds `value >>> shift` to nearest, ties to even; `shift` in 1..24. */
export function roundShift(value: number, shift: number): number {
  const quotient = value >>> shift;
  const rest = value & ((1 << shift) - 1);
  const middle = 1 << (shift - 1);
  return rest > middle || (rest === middle && (quotient & 1) === 1) ? quotient + 1 : quotient;
}

/** Encodes a number as the bits of an IEEE 754 binary16; overflow becomes infinity. */
export function encodeFloat16(value: number): number {
  floats[0] = value;
  const word = bits[0]!;
  const sign = (word >>> 16) & 0x8000;
  const exponent = ((word >>> 23) & 0xff) - 127 + 15;
  const mantissa = word & 0x7fffff;
  if (((word >>> 23) & 0xff) === 0xff) return sign | 0x7c00 | (mantissa === 0 ? 0 : 0x200);
  if (exponent >= 31) return sign | 0x7c00;
  if (exponent < -10) return sign;
  if (exponent <= 0) return sign | roundShift(mantissa | 0x800000, 14 - exponent);
  // A carry out of the mantissa raises the exponent, up to infinity, as it should.
  return sign | ((exponent << 10) + roundShift(mantissa, 13));
}

/** What each of the 65,536 patterns of binary16 stands for; computed at first use. */
let float16Values: Float32Array | undefined;

/** Decodes the bits of an IEEE 754 binary16. */
export function decodeFloat16(half: number): number {
  float16Values ??= Float32Array.from({ length: 1 << 16 }, (_, pattern) => valueOfFloat16(pattern));
  return float16Values[half]!;
}

function valueOfFloat16(half: number): number {
  const sign = half & 0x8000 ? -1 : 1;
  const exponent = (half >>> 10) & 0x1f;
  const mantissa = half & 0x3ff;
  if (exponent === 0) return sign * mantissa * 2 ** -24;
  if (exponent === 31) return mantissa === 0 ? sign * Infinity : NaN;
  return sign * (1 + mantissa / 1024) * 2 ** (exponent - 15);
}

/** Encodes a number as the bits of a bfloat16; overflow becomes infinity. */
export function encodeBfloat16(value: number): number {
  floats[0] = value;
  return bfloat16Of(bits[0]!);
}

/** The bits of a bfloat16 from those of a float32. */
export const bfloat16Of = (word: number): number =>
  (word & 0x7fffffff) <= 0x7f800000 ? (word + 0x7fff + ((word >>> 16) & 1)) >>> 16 : (word >>> 16) | 0x40;

/** Rounds numbers to bfloat16. */
export function roundToBfloat16(values: Float32Array, into: Uint16Array): void {
  const words = new Uint32Array(values.buffer, values.byteOffset, values.length);
  for (let i = 0; i < words.length; i += 1) into[i] = bfloat16Of(words[i]!);
}

/** Decodes the bits of a bfloat16. */
export function decodeBfloat16(half: number): number {
  bits[0] = (half << 16) >>> 0;
  return floats[0]!;
}

/** Encodes numbers as little-endian 16-bit words; `encode` is one of the functions above. */
export function encodeHalves(values: ArrayLike<number>, encode: (value: number) => number): Uint16Array {
  const result = new Uint16Array(values.length);
  for (let i = 0; i < values.length; i++) result[i] = encode(values[i]!);
  return result;
}

/** Decodes 16-bit words to float32; `decode` is one of the functions above. */
export function decodeHalves(words: Uint16Array, decode: (half: number) => number): Float32Array {
  const result = new Float32Array(words.length);
  for (let i = 0; i < words.length; i++) result[i] = decode(words[i]!);
  return result;
}
