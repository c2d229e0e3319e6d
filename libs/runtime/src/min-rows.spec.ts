import { createRequire } from 'node:module';
import { Graph, matmul } from '@espalier/graph';
import { describe, expect, it } from 'vitest';
import { minRows } from './min-rows.js';
import { createSession } from './session.js';

/** Numbers in ±0.5 from a seed. */
function numbers(count: number, seed: number): Float32Array {
  let state = seed;
  return Float32Array.from({ length: count }, () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32 - 0.5;
  });
}

/** The first `rows` rows of a product over `padded` rows, whose others are zero. */
async function multiply(rows: number, padded: number, inner: number, columns: number, threads: number) {
  const graph = new Graph();
  const a = graph.input('a', 'float32', ['M', inner]);
  const b = graph.input('b', 'float32', [columns, inner]);
  graph.output('c', matmul(a, b, { transposeB: true }));
  const session = await createSession(graph, { threads });
  const left = new Float32Array(padded * inner);
  left.set(numbers(rows * inner, 1));
  const { c } = await session.run({
    a: { dtype: 'float32', shape: [padded, inner], values: left },
    b: { dtype: 'float32', shape: [columns, inner], values: numbers(columns * inner, 2) },
  });
  await session.dispose();
  return (c?.values as Float32Array).slice(0, rows * columns);
}

const shapes = [40, 96, 128, 192, 352].flatMap((columns) => [2, 8].map((threads) => ({ columns, threads })));

describe('minRows', () => {
  it('was measured with the installed runtime', () => {
    const { version } = createRequire(import.meta.url)('onnxruntime-node/package.json') as {
      version: string;
    };
    // minRows mirrors how this version splits products among threads: after an upgrade, compare it with
    // MlasSgemmOperation, run thread-invariance.spec.ts and test/invariance on 1, 2, 4 and 8 threads, then update this
    expect(version).toBe('1.30.0');
  });

  it.each(shapes)('gives the same bits for $columns columns on $threads threads as on one', async (shape) => {
    const { columns, threads } = shape;
    const min = minRows([columns], threads);
    for (const rows of [3, 60]) {
      const expected = await multiply(rows, rows, 520, columns, 1);
      expect(await multiply(rows, Math.max(rows, min), 520, columns, threads)).toEqual(expected);
    }
  });

  it('adds no rows where threads get enough columns', () => {
    expect(minRows([192, 288, 512], 2)).toBe(2);
    expect(minRows([192, 288, 512], 1)).toBe(2);
    expect(minRows([96, 192, 288, 512], 2)).toBe(96);
    expect(minRows([96, 192, 288, 512], 4)).toBe(288);
    expect(minRows([49_152, 576], 8)).toBe(576);
  });

  it('is needed: without it, two threads give different bits', async () => {
    const one = await multiply(60, 60, 520, 96, 1);
    const two = await multiply(60, 60, 520, 96, 2);
    expect(two).not.toEqual(one);
  });
});
