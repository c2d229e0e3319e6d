import type { Datum, LossSpec } from '@espalier/contracts';
import { exp, mul, neg, square, sub } from '@espalier/graph';
import { initializeWeights, parameterShapes, parseModelConfig } from '@espalier/model';
import type { LossBuilder, ValueLossBuilder } from '@espalier/objective';
import { createStream } from '@espalier/random';
import { describe, expect, it } from 'vitest';
import { ParameterStore } from './parameter-store.js';
import { SequenceModel } from './sequence-model.js';

const config = parseModelConfig({
  model_type: 'llama',
  vocab_size: 200,
  hidden_size: 64,
  num_hidden_layers: 2,
  num_attention_heads: 4,
  num_key_value_heads: 2,
  intermediate_size: 160,
  max_position_embeddings: 640,
  tie_word_embeddings: true,
});

const losses: Record<'policy' | 'critic', LossSpec> = {
  policy: {
    id: 'ratio',
    params: {},
    columns: ['old'],
    build: (({ logprobs, columns }) => ({
      perToken: neg(exp(sub(logprobs, columns['old'] ?? 0))),
      metrics: { surprise: neg(logprobs) },
    })) satisfies LossBuilder,
  },
  critic: {
    id: 'square',
    params: {},
    columns: ['old'],
    build: (({ values, columns }) => ({
      perToken: mul(square(sub(values, columns['old'] ?? 0)), 0.5),
      metrics: {},
    })) satisfies ValueLossBuilder,
  },
};

type Counts = (position: number, shared: number, length: number) => boolean;

const cases: readonly [title: string, groups: readonly (readonly [number, number])[], counts: Counts][] = [
  ['groups of different lengths', [[80, 4], [40, 3], [100, 5]], (p, shared) => p >= shared],
  ['groups of one member', [[80, 1], [40, 1], [70, 1]], (p, shared) => p >= shared],
  ['no shared token', [[0, 3], [0, 2]], (p) => p >= 5],
  ['loss positions inside the prefix', [[70, 4], [30, 3]], (p) => p >= 10 && p % 2 === 0],
  ['trajectories of several turns', [[90, 4], [90, 4]], (p, shared, length) => p >= shared && p < length - 6 && p % 30 < 17],
]; // prettier-ignore

/** Members of 10 to 250 tokens of their own after what their group shares. */
function drawData([, groups, counts]: (typeof cases)[number]): Datum[] {
  const stream = createStream(23);
  const draw = (count: number): number[] => Array.from({ length: count }, () => stream.int(200));
  const data = groups.flatMap(([shared, groupSize]) => {
    const prefix = draw(shared);
    return Array.from({ length: groupSize }, (): Datum => {
      const tokens = Int32Array.from([...prefix, ...draw(10 + stream.int(stream.int(4) === 0 ? 240 : 60))]);
      const positions = Int32Array.from(tokens.keys()).filter(
        (p) => p > 0 && counts(p, shared, tokens.length),
      );
      return {
        tokens,
        positions,
        temperature: 0.9,
        weights: new Float32Array(positions.length).fill(0.01),
        columns: { old: Float32Array.from(positions, () => -5 - stream.next()) },
      };
    });
  });
  return stream.shuffle(data);
}

async function learn(
  role: 'policy' | 'critic',
  data: readonly Datum[],
  microBatchTokens: number,
  threads = 1,
) {
  const store = new ParameterStore(parameterShapes(config, role));
  const weights = new Map(initializeWeights(config, 4));
  weights.set('value_head.weight', {
    data: Float32Array.from({ length: 64 }, (_, i) => Math.sin(i)),
    shape: [1, 64],
  });
  for (const name of store.names) store.writableWeight(name).data.set(weights.get(name)!.data);
  const session = { provider: 'cpu', threads } as const;
  const model = new SequenceModel({ config, session, threads, microBatchTokens });
  try {
    const all = { model: { role }, store, frozen: [] };
    const scores = await model.score(all, data);
    const { loss, metrics, work } = await model.forwardBackward(all, data, losses[role]);
    return { scores, loss, metrics, work, gradients: store.gradients.read().slice() };
  } finally {
    await model.dispose();
  }
}

/** Largest difference as a share of the largest expected entry. */
function differenceOf(found: ArrayLike<number>, expected: ArrayLike<number>): number {
  let gap = 0;
  let size = 0;
  for (let i = 0; i < expected.length; i += 1) {
    gap = Math.max(gap, Math.abs((found[i] ?? NaN) - (expected[i] ?? NaN)));
    size = Math.max(size, Math.abs(expected[i] ?? NaN));
  }
  return gap / size;
}

describe('what sequences share, computed once', () => {
  for (const role of ['policy', 'critic'] as const) {
    it.each(cases)(`gives the ${role} what each sequence alone gives: %s`, async (...drawn) => {
      const data = drawData(drawn);
      const alone = await learn(role, data, 1);
      const shared = await learn(role, data, 4096);
      expect(differenceOf([shared.loss], [alone.loss])).toBeLessThan(1e-5);
      expect(differenceOf(shared.gradients, alone.gradients)).toBeLessThan(1e-5);
      for (const [name, value] of Object.entries(alone.metrics))
        expect(differenceOf([shared.metrics[name] ?? NaN], [value])).toBeLessThan(1e-5);
      alone.scores.forEach((scores, i) => {
        for (const [name, values] of Object.entries(scores))
          expect(differenceOf(shared.scores[i]?.[name] ?? [], values), name).toBeLessThan(1e-5);
      });
    });
  }

  it('gives the same bits with one thread and with two, and in another order within 1e-5', async () => {
    const data = drawData(cases[0] as (typeof cases)[number]);
    const one = await learn('policy', data, 1024, 1);
    const two = await learn('policy', data, 1024, 2);
    expect(two).toEqual(one);
    const turned = await learn('policy', [...data].reverse(), 1024);
    expect(differenceOf(turned.gradients, one.gradients)).toBeLessThan(1e-5);
  });

  it('leaves out what others have computed and what nothing depends on, and says so', async () => {
    const data = drawData(cases[0] as (typeof cases)[number]);
    const tokens = data.reduce((total, datum) => total + datum.tokens.length, 0);
    const alone = await learn('policy', data, 1);
    const shared = await learn('policy', data, 4096);
    const { rows = NaN, paddedRows = NaN } = alone.work ?? {};
    expect(rows - paddedRows).toBe(tokens - data.length);
    // 80·3 + 40·2 + 100·4 tokens are there more than once; parts of very different length repeat a prefix
    expect(shared.work?.rows).toBeLessThan(tokens - 400);
    expect((shared.work?.paddedRows ?? NaN) / (shared.work?.rows ?? NaN)).toBeLessThan(0.01);
  });
});
