/** @file Float32 to the formats that are written: half precision and blocks of 32 signed bytes, as ggml rounds them. */
import { AppError } from '@espalier/contracts';
import { decodeFloat16, encodeFloat16 } from '../weights/float16.js';

/** Encodes numbers; those of a block follow each other. @throws contracts.invalid_value when one does not fit */
export type Quantize = (numbers: Float32Array, name: string) => Uint8Array;

export const quantizeF32: Quantize = (numbers) =>
  new Uint8Array(numbers.buffer, numbers.byteOffset, numbers.byteLength);

export const quantizeF16: Quantize = (numbers, name) => {
  const words = new Uint16Array(numbers.length);
  for (let i = 0; i < numbers.length; i++) words[i] = halfOf(numbers[i]!, name);
  return new Uint8Array(words.buffer);
};

/** Scale = largest size / 127; halves are rounded away from zero. */
export const quantizeQ8_0: Quantize = (numbers, name) => {
  const bytes = new Uint8Array((numbers.length / 32) * 34);
  const view = new DataView(bytes.buffer);
  for (let from = 0, at = 0; from < numbers.length; from += 32, at += 34) {
    let largest = 0;
    for (let i = from; i < from + 32; i++) largest = Math.max(largest, Math.abs(numbers[i]!));
    const scale = Math.fround(largest / 127);
    const inverse = scale === 0 ? 0 : Math.fround(1 / scale);
    view.setUint16(at, halfOf(scale, name), true);
    for (let i = 0; i < 32; i++) {
      const value = Math.fround(numbers[from + i]! * inverse);
      view.setInt8(at + 2 + i, Math.sign(value) * Math.floor(Math.abs(value) + 0.5));
    }
  }
  return bytes;
};

function halfOf(value: number, name: string): number {
  const half = encodeFloat16(value);
  if (Number.isFinite(decodeFloat16(half))) return half;
  throw new AppError(
    'contracts.invalid_value',
    `tensor "${name}": ${value} does not fit half precision; export to a Hugging Face folder instead`,
  );
}
