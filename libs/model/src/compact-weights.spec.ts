import { createStream } from '@espalier/random';
import { describe, expect, it } from 'vitest';
import { type BaseDtype, heldBytes, compactWeight, heldDtype, widenInto } from './compact-weights.js';
import { decodeBfloat16, encodeBfloat16 } from './weights/float16.js';

function round(numbers: readonly number[], columns: number, dtype: Exclude<BaseDtype, 'float32'>) {
  const values = Float32Array.from(numbers);
  const shape = [values.length / columns, columns];
  const weight = compactWeight(shape, dtype, (target, from) =>
    target.set(values.subarray(from, from + target.length)),
  );
  const widened = new Float32Array(values.length);
  widenInto(weight, widened);
  return { ...weight, widened };
}

const inBfloat16 = (value: number): number => decodeBfloat16(encodeBfloat16(value));

describe('bfloat16', () => {
  it('rounds to nearest, ties to even', () => {
    const ulp = 2 ** -7;
    const { widened } = round([1 + ulp / 2, 1 + 1.5 * ulp, -1 - 0.51 * ulp, 0], 4, 'bfloat16');
    expect([...widened]).toEqual([1, 1 + 2 * ulp, -1 - ulp, 0]);
  });

  it('keeps every bfloat16 down to 2^-31 of the largest in its row', () => {
    const stream = createStream(7);
    for (const size of [2 ** 100, 1, 2 ** -60]) {
      const numbers = Array.from(
        { length: 660 },
        (_, i) => size * (1 + stream.next()) * (i % 2 === 0 ? 1 : -1) * 2 ** -(i % 32),
      );
      expect([...round(numbers, 330, 'bfloat16').widened]).toEqual(numbers.map(inBfloat16));
    }
  });

  it('is off by at most 2^-40 of the largest in a row below that', () => {
    const { widened } = round([1, 1.7 * 2 ** -34, 2 ** -39, 2 ** -60], 4, 'bfloat16');
    expect(Math.abs((widened[1] as number) - 1.7 * 2 ** -34)).toBeLessThanOrEqual(2 ** -40);
    expect([widened[0], widened[2], widened[3]]).toEqual([1, 2 ** -39, 0]);
  });

  it('has a row of zeros', () => {
    expect([...round([0, -0, 0, 1], 2, 'bfloat16').widened]).toEqual([0, -0, 0, 1]);
  });
});

describe('int8', () => {
  it('has codes in steps of the largest size / 127', () => {
    const step = Math.fround(254 / 127);
    const { codes, scales, widened } = round([-254, 3.1, 2.9, 0.9], 4, 'int8');
    expect(scales[0]).toBe(step);
    expect([...codes]).toEqual([-127, 2, 1, 0]);
    expect([...widened]).toEqual([-254, 4, 2, 0]);
  });

  it('has a scale for every 64 numbers of a row', () => {
    const numbers = Array.from({ length: 256 }, (_, i) => (i < 64 ? 1 : 100) * Math.sin(i));
    const { scales, widened } = round(numbers, 128, 'int8');
    expect(scales).toHaveLength(4);
    widened.forEach((value, i) => {
      expect(Math.abs(value - (numbers[i] as number))).toBeLessThanOrEqual(
        (0.501 * (i < 64 ? 1 : 100)) / 127,
      );
    });
  });
});

describe('int4', () => {
  it('gives the number farthest from zero the code 0, and keeps two codes in a byte', () => {
    const { codes, scales, widened } = round([4, -1, 0, 3.4], 4, 'int4');
    expect(scales[0]).toBe(-0.5);
    // 4 → 0, -1 → 10, 0 → 8, 3.4 → -6.8 ≈ -7 → 1; first halves in the low bits
    expect([...codes]).toEqual([0 | (8 << 4), 10 | (1 << 4)]);
    expect([...widened]).toEqual([4, -1, -0, 3.5]);
  });

  it('cuts off what lies farthest on the other side', () => {
    expect([...round([-8, 8, 7.2, 0], 4, 'int4').widened]).toEqual([-8, 7, 7, 0]);
  });
});

it('holds vectors in float32 and tables over the vocabulary in bfloat16', () => {
  expect(heldDtype('model.norm.weight', [8], 'int4')).toBe('float32');
  expect(heldDtype('model.embed_tokens.weight', [100, 8], 'int4')).toBe('bfloat16');
  expect(heldDtype('lm_head.weight', [100, 8], 'int8')).toBe('bfloat16');
  expect(heldDtype('model.layers.0.mlp.up_proj.weight', [16, 7], 'int4')).toBe('int8');
});

it.each([
  ['float32', 4],
  ['bfloat16', 2],
  ['int8', 1 + 4 / 64],
  ['int4', 0.5 + 4 / 64],
] as const)('takes about the bytes of %s', (dtype, bytes) => {
  const shape = [512, 512];
  const scales = dtype === 'bfloat16' ? 4 * 512 : 0;
  expect(heldBytes('model.layers.0.mlp.up_proj.weight', shape, dtype)).toBe(bytes * 512 * 512 + scales);
});
