import { describe, expect, it } from 'vitest';
import { decodeBfloat16, decodeFloat16, encodeBfloat16, encodeFloat16, roundToBfloat16 } from './float16.js';

const patterns = Array.from({ length: 0x10000 }, (_, half) => half);

describe('float16', () => {
  it('returns every finite pattern to itself', () => {
    const changed = patterns.filter(
      (half) => !Number.isNaN(decodeFloat16(half)) && encodeFloat16(decodeFloat16(half)) !== half,
    );
    expect(changed).toEqual([]);
  });

  it('knows the landmarks', () => {
    expect(decodeFloat16(0x3c00)).toBe(1);
    expect(decodeFloat16(0x0001)).toBe(2 ** -24);
    expect(decodeFloat16(0x0400)).toBe(2 ** -14);
    expect(decodeFloat16(0x7bff)).toBe(65504);
    expect(decodeFloat16(0xfc00)).toBe(-Infinity);
  });

  it('rounds halfway cases to even', () => {
    expect(decodeFloat16(encodeFloat16(2049))).toBe(2048);
    expect(decodeFloat16(encodeFloat16(2051))).toBe(2052);
    expect(decodeFloat16(encodeFloat16(2049.001))).toBe(2050);
    expect(encodeFloat16(1.5 * 2 ** -24)).toBe(2);
    expect(encodeFloat16(2 ** -25)).toBe(0);
    expect(encodeFloat16(2 ** -25 * 1.0001)).toBe(1);
  });

  it('carries rounding into the next exponent and into infinity', () => {
    expect(encodeFloat16(2 ** -14 * (1 - 2 ** -12))).toBe(0x0400);
    expect(encodeFloat16(65519.99)).toBe(0x7bff);
    expect(encodeFloat16(65520)).toBe(0x7c00);
    expect(encodeFloat16(-1e30)).toBe(0xfc00);
    expect(Number.isNaN(decodeFloat16(encodeFloat16(NaN)))).toBe(true);
    expect(encodeFloat16(-0)).toBe(0x8000);
  });
});

describe('bfloat16', () => {
  it('returns every finite pattern to itself', () => {
    const changed = patterns.filter(
      (half) => !Number.isNaN(decodeBfloat16(half)) && encodeBfloat16(decodeBfloat16(half)) !== half,
    );
    expect(changed).toEqual([]);
  });

  it('rounds halfway cases to even and keeps NaN', () => {
    expect(encodeBfloat16(1 + 2 ** -8)).toBe(0x3f80);
    expect(encodeBfloat16(1 + 3 * 2 ** -8)).toBe(0x3f82);
    // just above halfway, by the last bit of the float32
    expect(encodeBfloat16(1 + 2 ** -8 + 2 ** -23)).toBe(0x3f81);
    expect(encodeBfloat16(3.4e38)).toBe(0x7f80);
    expect(Number.isNaN(decodeBfloat16(encodeBfloat16(NaN)))).toBe(true);
  });

  it('rounds an array as it rounds one number', () => {
    const around = patterns
      .map(decodeBfloat16)
      .flatMap((value) => [value, value * (1 + 2 ** -8), value * 1.0007]);
    const values = Float32Array.from([0, ...around, NaN, Infinity, 1e-45, 3.4e38]).subarray(1);
    const rounded = new Uint16Array(values.length);
    roundToBfloat16(values, rounded);
    expect(rounded).toEqual(Uint16Array.from(values, encodeBfloat16));
  });
});
