/** @file Finite differences of a whole model as users run it: float32 in ONNX Runtime. */
import { exp, type Graph, mul, neg, sub } from '@espalier/graph';
import {
  buildTrainingGraph,
  COLUMN,
  GATHERED,
  GRADIENT,
  type LossGraph,
  parameterShapes,
  parseModelConfig,
} from '@espalier/model';
import { createStream } from '@espalier/random';
import { createSession, createTensor, type RuntimeTensor, type Session } from '@espalier/runtime';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const STEP = 0.02;
const config = parseModelConfig({
  model_type: 'llama',
  vocab_size: 40,
  hidden_size: 32,
  num_hidden_layers: 2,
  num_attention_heads: 4,
  num_key_value_heads: 2,
  intermediate_size: 48,
  max_position_embeddings: 64,
  tie_word_embeddings: false,
});
const loss: LossGraph = ({ logprobs, entropies, values, columns }) => ({
  perToken: sub(neg(mul(exp(sub(logprobs, columns['old'] ?? logprobs)), values)), mul(entropies, 0.3)),
  metrics: {},
});

function feedsOf(graph: Graph): Record<string, RuntimeTensor> {
  const stream = createStream(5);
  const sizes: Record<string, number> = { B: 3, N: 20 };
  const feeds: Record<string, RuntimeTensor> = {};
  for (const [name, { dtype, shape }] of graph.inputs) {
    const tensor = createTensor(
      dtype,
      shape.map((size) => (typeof size === 'number' ? size : (sizes[String(size)] as number))),
    );
    const { values } = tensor;
    if (values instanceof BigInt64Array) {
      const bound = name === 'rows' ? 3 * 24 : 40;
      values.forEach((_, i) => (values[i] = BigInt(stream.int(bound))));
    } else if (!name.startsWith(GATHERED)) {
      const [center, spread] = centerOf(name);
      values.forEach((_: unknown, i: number) => (values[i] = center + spread * (2 * stream.next() - 1)));
    }
    feeds[name] = tensor;
  }
  return feeds;
}

function centerOf(name: string): [center: number, spread: number] {
  if (name === `${COLUMN}old`) return [-3.5, 0.2];
  if (name === 'weights') return [0.05, 0.02];
  return name === 'inverse_temperature' || name.endsWith('norm.weight') ? [1, 0.2] : [0, 0.3];
}

describe.each(['policy', 'critic'] as const)('float32 gradients of a two-layer %s', (role) => {
  const graph = buildTrainingGraph({ config, role, length: 24, rows: 20 }, loss, ['old']);
  const feeds = feedsOf(graph);
  let session: Session;
  beforeAll(async () => {
    session = await createSession(graph, { threads: 1 });
  });
  afterAll(() => session.dispose());

  const lossAt = async (name: string, direction: Float64Array, step: number): Promise<number> => {
    const tensor = feeds[name] as RuntimeTensor;
    const values = Float32Array.from(direction, (v, i) => Number(tensor.values[i]) + step * v);
    const outputs = await session.run({ ...feeds, [name]: { ...tensor, values } });
    return Array.from(outputs['loss']?.values ?? [NaN], Number).reduce((a, b) => a + b, 0);
  };

  it.each([...parameterShapes(config, role).keys()])(
    'agree with finite differences to 1e-2: %s',
    async (name) => {
      const outputs = await session.run(feeds);
      const slope = Float64Array.from(outputs[`${GRADIENT}${name}`]?.values ?? [], Number);
      const norm = Math.hypot(...slope);
      const direction = slope.map((v) => v / norm); // along the gradient the derivative is its norm
      const numeric =
        ((await lossAt(name, direction, STEP)) - (await lossAt(name, direction, -STEP))) / (2 * STEP);
      expect(Math.abs(numeric - norm) / norm).toBeLessThan(1e-2);
    },
  );
});
