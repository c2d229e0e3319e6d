import type { Graph } from '@espalier/graph';
import { createSession, type RuntimeTensor } from '@espalier/runtime';
import { describe } from 'vitest';
import { describeTinyLlama, type RunGraph } from './tiny-llama.js';

const runInOnnxRuntime: RunGraph = async (graph: Graph, feeds) => {
  const session = await createSession(graph, { threads: 1 });
  const tensors = Object.entries(feeds).map(([name, { shape, values }]): [string, RuntimeTensor] => {
    const isInteger = graph.inputs.get(name)?.dtype === 'int64';
    return [
      name,
      isInteger
        ? { dtype: 'int64', shape, values: BigInt64Array.from(Array.from(values), BigInt) }
        : { dtype: 'float32', shape, values: Float32Array.from(values) },
    ];
  });
  const outputs = await session.run(Object.fromEntries(tensors));
  const found = Object.entries(outputs).map(
    ([name, { values }]) => [name, Float64Array.from(Array.from(values, Number))] as const,
  );
  await session.dispose();
  return Object.fromEntries(found);
};

describe.each(['tiny-llama', 'tiny-llama-float64'])('%s in ONNX Runtime (float32)', (name) => {
  describeTinyLlama(name, runInOnnxRuntime, 1e-4);
});
