/**
 * @file Numbers of GGUF tensors to float32: plain formats and blocks of 32. A block stores a scale, sometimes a minimum,
 * and four to eight bits a number. Each function fills `target` with whole blocks of `bytes`; products are exact and a
 * sum is rounded once to float32, so the bits equal those of ggml.
 */
import { decodeBfloat16, decodeFloat16 } from '../weights/float16.js';

/** Fills `target` from blocks; `bytes` holds exactly as many as it takes. */
export type Dequantize = (bytes: Uint8Array, target: Float32Array) => void;

const wordAt = (bytes: Uint8Array, at: number): number => bytes[at]! | (bytes[at + 1]! << 8);

/** Decodes the half-precision number at a place. */
export const halfAt = (bytes: Uint8Array, at: number): number => decodeFloat16(wordAt(bytes, at));

const signed = (byte: number): number => (byte << 24) >> 24;

export const dequantizeF32: Dequantize = (bytes, target) => {
  new Uint8Array(target.buffer, target.byteOffset, target.byteLength).set(bytes);
};

export const dequantizeF16: Dequantize = (bytes, target) => {
  for (let i = 0; i < target.length; i++) target[i] = halfAt(bytes, 2 * i);
};

export const dequantizeBf16: Dequantize = (bytes, target) => {
  for (let i = 0; i < target.length; i++) target[i] = decodeBfloat16(wordAt(bytes, 2 * i));
};

/** 18 bytes: scale, 16 × two numbers of four bits, offset by 8. */
export const dequantizeQ4_0: Dequantize = (bytes, target) => {
  for (let at = 0, to = 0; to < target.length; at += 18, to += 32) {
    const scale = halfAt(bytes, at);
    for (let i = 0; i < 16; i++) {
      const pair = bytes[at + 2 + i]!;
      target[to + i] = scale * ((pair & 15) - 8);
      target[to + 16 + i] = scale * ((pair >> 4) - 8);
    }
  }
};

/** 20 bytes: scale, minimum, 16 × two numbers of four bits. */
export const dequantizeQ4_1: Dequantize = (bytes, target) => {
  for (let at = 0, to = 0; to < target.length; at += 20, to += 32) {
    const scale = halfAt(bytes, at);
    const least = halfAt(bytes, at + 2);
    for (let i = 0; i < 16; i++) {
      const pair = bytes[at + 4 + i]!;
      target[to + i] = scale * (pair & 15) + least;
      target[to + 16 + i] = scale * (pair >> 4) + least;
    }
  }
};

/** The fifth bit of number `i` of a block, as 16 or 0. */
const fifthBit = (bytes: Uint8Array, at: number, i: number): number =>
  ((bytes[at + (i >> 3)]! >> (i & 7)) & 1) << 4;

/** 22 bytes: scale, 32 fifth bits, 16 × two numbers of four bits, offset by 16. */
export const dequantizeQ5_0: Dequantize = (bytes, target) => {
  for (let at = 0, to = 0; to < target.length; at += 22, to += 32) {
    const scale = halfAt(bytes, at);
    for (let i = 0; i < 16; i++) {
      const pair = bytes[at + 6 + i]!;
      target[to + i] = scale * (((pair & 15) | fifthBit(bytes, at + 2, i)) - 16);
      target[to + 16 + i] = scale * (((pair >> 4) | fifthBit(bytes, at + 2, i + 16)) - 16);
    }
  }
};

/** 24 bytes: scale, minimum, 32 fifth bits, 16 × two numbers of four bits. */
export const dequantizeQ5_1: Dequantize = (bytes, target) => {
  for (let at = 0, to = 0; to < target.length; at += 24, to += 32) {
    const scale = halfAt(bytes, at);
    const least = halfAt(bytes, at + 2);
    for (let i = 0; i < 16; i++) {
      const pair = bytes[at + 8 + i]!;
      target[to + i] = scale * ((pair & 15) | fifthBit(bytes, at + 4, i)) + least;
      target[to + 16 + i] = scale * ((pair >> 4) | fifthBit(bytes, at + 4, i + 16)) + least;
    }
  }
};

/** 34 bytes: scale, 32 signed bytes. */
export const dequantizeQ8_0: Dequantize = (bytes, target) => {
  for (let at = 0, to = 0; to < target.length; at += 34, to += 32) {
    const scale = halfAt(bytes, at);
    for (let i = 0; i < 32; i++) target[to + i] = scale * signed(bytes[at + 2 + i]!);
  }
};

/**
 * Scale and minimum of part `part` of eight in a block of 256: 16 numbers of six bits in twelve bytes.
 *
 * @returns scale in the low byte, minimum above it
 */
function packedScale(bytes: Uint8Array, at: number, part: number): number {
  if (part < 4) return (bytes[at + part]! & 63) | ((bytes[at + part + 4]! & 63) << 8);
  const low = bytes[at + part + 4]!;
  const scale = (low & 15) | ((bytes[at + part - 4]! >> 6) << 4);
  const least = (low >> 4) | ((bytes[at + part]! >> 6) << 4);
  return scale | (least << 8);
}

/** 144 bytes: scale and minimum of the scales, 8 × scale and minimum, 128 × two numbers of four bits. */
export const dequantizeQ4_K: Dequantize = (bytes, target) => {
  for (let at = 0, to = 0; to < target.length; at += 144, to += 256) {
    for (let part = 0; part < 8; part++) {
      const packed = packedScale(bytes, at + 4, part);
      const scale = halfAt(bytes, at) * (packed & 255);
      const least = halfAt(bytes, at + 2) * (packed >> 8);
      const from = at + 16 + 32 * (part >> 1);
      const shift = 4 * (part & 1);
      for (let i = 0; i < 32; i++)
        target[to + 32 * part + i] = scale * ((bytes[from + i]! >> shift) & 15) - least;
    }
  }
};

/** 176 bytes: as Q4_K, with 32 bytes of fifth bits before the numbers. */
export const dequantizeQ5_K: Dequantize = (bytes, target) => {
  for (let at = 0, to = 0; to < target.length; at += 176, to += 256) {
    for (let part = 0; part < 8; part++) {
      const packed = packedScale(bytes, at + 4, part);
      const scale = halfAt(bytes, at) * (packed & 255);
      const least = halfAt(bytes, at + 2) * (packed >> 8);
      const from = at + 48 + 32 * (part >> 1);
      const shift = 4 * (part & 1);
      for (let i = 0; i < 32; i++) {
        const high = ((bytes[at + 16 + i]! >> part) & 1) << 4;
        target[to + 32 * part + i] = scale * (((bytes[from + i]! >> shift) & 15) | high) - least;
      }
    }
  }
};

/** 210 bytes: 128 × two low halves of four bits, 64 × four high pairs of bits, 16 signed scales, scale; offset by 32. */
export const dequantizeQ6_K: Dequantize = (bytes, target) => {
  for (let at = 0, to = 0; to < target.length; at += 210, to += 256) {
    const scale = halfAt(bytes, at + 208);
    for (let i = 0; i < 256; i++) {
      const half = i >> 7;
      const quarter = (i >> 5) & 3;
      const place = i & 31;
      const low = bytes[at + 64 * half + 32 * (quarter & 1) + place]! >> (4 * (quarter >> 1));
      const high = bytes[at + 128 + 32 * half + place]! >> (2 * quarter);
      const value = ((low & 15) | ((high & 3) << 4)) - 32;
      target[to + i] = scale * signed(bytes[at + 192 + (i >> 4)]!) * value;
    }
  }
};
