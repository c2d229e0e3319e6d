import { addLora } from '@espalier/model/adapters';
import { createStream } from '@espalier/random';
import { afterAll, describe, expect, it } from 'vitest';
import { AdapterMerge } from './adapter-merge.js';
import { ReleasableMemory } from './sampler/releasable-memory.js';

const merges = [1, 2].map((threads) => new AdapterMerge(threads));
const [merge] = merges as [AdapterMerge, AdapterMerge];
afterAll(() => Promise.all(merges.map((one) => one.dispose())));

describe('adapters added to a weight', () => {
  it('gives W + scale · B·A, worked by hand', async () => {
    const weight = Float32Array.of(1, 2, 3, 4, 5, 6);
    const a = { shape: [1, 3], data: Float32Array.of(1, 0, -1) };
    const b = { shape: [2, 1], data: Float32Array.of(2, 3) };
    await merge.add(weight, { a, b, scale: 0.5 });
    expect([...weight]).toEqual([2, 2, 2, 5.5, 5, 4.5]);
  });

  it.each([
    ['a rank of 16', 160, 96, 16],
    ['a rank of 130 and more columns than rows', 64, 104, 130],
  ])(
    'agrees with sums in float64 and has the bits of one thread with two: %s',
    async (_, out, inputs, rank) => {
      const stream = createStream(3);
      const draw = (length: number): Float32Array => Float32Array.from({ length }, () => stream.next() - 0.5);
      const a = { shape: [rank, inputs], data: draw(rank * inputs) };
      const b = { shape: [out, rank], data: draw(out * rank) };
      const start = draw(out * inputs);
      const expected = start.slice();
      addLora(expected, { a, b }, 2);
      const memory = new ReleasableMemory();
      const results = [];
      for (const one of merges) {
        const weight = memory.allocate(start.length);
        weight.set(start);
        await one.add(weight, { a, b, scale: 2 });
        results.push(weight.slice());
      }
      expect(results[1]).toEqual(results[0]);
      results[0]?.forEach((value, i) =>
        expect(Math.abs(value - (expected[i] as number))).toBeLessThan(2.5e-7 * rank),
      );
      memory.detach()();
    },
  );

  it('opens another session after it was closed', async () => {
    const closed = new AdapterMerge(1);
    await closed.dispose();
    const weight = Float32Array.of(1);
    const one = { shape: [1, 1], data: Float32Array.of(1) };
    await closed.add(weight, { a: one, b: one, scale: 1 });
    await closed.dispose();
    expect([...weight]).toEqual([2]);
  });
});
