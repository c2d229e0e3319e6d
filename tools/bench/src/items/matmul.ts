/** @file The machine's peak rate: a warm float32 MatMul of 2048³ in ONNX Runtime, in this process. */
import { Graph, matmul } from '@espalier/graph';
import { createSession } from '@espalier/runtime';
import { type BenchOptions, median } from '../row.js';

const size = 2048;

/** Measures the warm MatMul rate: median of 30 runs after 10. @returns GFLOP/s */
export async function matmulRate({ threads, short }: BenchOptions): Promise<number> {
  const graph = new Graph();
  const a = graph.input('a', 'float32', [size, size]);
  const b = graph.input('b', 'float32', [size, size]);
  graph.output('c', matmul(a, b));
  const session = await createSession(graph, { provider: 'cpu', threads });
  const values = Float32Array.from(
    { length: size * size },
    (_, index) => ((index * 7919) % 1000) / 1000 - 0.5,
  );
  const shape = [size, size];
  const feeds = {
    a: { dtype: 'float32' as const, shape, values },
    b: { dtype: 'float32' as const, shape, values: values.slice() },
  };
  const seconds: number[] = [];
  const [warm, timed] = short ? [2, 3] : [10, 30];
  for (let run = 0; run < warm + timed; run += 1) {
    const begin = performance.now();
    await session.run(feeds);
    if (run >= warm) seconds.push((performance.now() - begin) / 1000);
  }
  await session.dispose();
  return (2 * size ** 3) / median(seconds) / 1e9;
}
