import {
  add,
  dim,
  evaluate,
  exp,
  type Feeds,
  Graph,
  gradient,
  matmul,
  mul,
  neg,
  reshape,
  scale,
  softmax,
  sum,
  sub,
  tanh,
  type Tensor,
} from '@espalier/graph';
import { createStream } from '@espalier/random';
import { describe, expect, it } from 'vitest';
import { parseModelConfig } from './families/families.js';
import type { AttentionShape } from './families/model-family.js';
import { causalAttention } from './layers/causal-attention.js';
import { parameterShapes } from './model-weights.js';
import { buildTrainingGraph } from './training-graph.js';
import type { LossGraph } from './training-heads.js';
import { COLUMN, GATHERED, GRADIENT } from './training-names.js';

const stream = createStream(11);
const random = (count: number, scale = 1): Float64Array =>
  Float64Array.from({ length: count }, () => scale * (2 * stream.next() - 1));
const sizeOf = (shape: readonly number[]): number => shape.reduce((a, b) => a * b, 1);

/** Gemma 2 has caps on scores and logits, and a window in its first layer. */
const families = [
  { model_type: 'llama' },
  {
    model_type: 'gemma2',
    head_dim: 4,
    sliding_window: 3,
    query_pre_attn_scalar: 3,
    attn_logit_softcapping: 0.7,
    final_logit_softcapping: 1.5,
  },
];

describe.each(families)('gradients of a whole two-layer model: $model_type', (family) => {
  const config = parseModelConfig({
    ...family,
    vocab_size: 11,
    hidden_size: 8,
    num_hidden_layers: 2,
    num_attention_heads: 4,
    num_key_value_heads: 2,
    intermediate_size: 6,
    max_position_embeddings: 16,
    tie_word_embeddings: false,
  });
  const loss: LossGraph = ({ logprobs, entropies, values, columns }) => {
    const ratio = exp(sub(logprobs, columns['old'] ?? logprobs));
    return { perToken: sub(neg(mul(ratio, values)), mul(entropies, 0.3)), metrics: { ratio } };
  };
  const feedsOf = (role: 'policy' | 'critic') => ({
    ids: { shape: [2, 5], values: [1, 4, 9, 2, 7, 3, 3, 0, 10, 5] },
    rows: { shape: [4], values: [0, 3, 6, 7] },
    targets: { shape: [4], values: [4, 7, 0, 10] },
    inverse_temperature: { shape: [4], values: [1, 0.8, 1.2, 1] },
    weights: { shape: [4], values: [0.1, 0.4, 0.2, 0.3] },
    [`${COLUMN}old`]: { shape: [4], values: [-2, -2.5, -2.2, -2.4] },
    ...Object.fromEntries(
      [...parameterShapes(config, role)].flatMap(([name, shape]) => [
        [name, { shape, values: random(sizeOf(shape)) }],
        [`${GATHERED}${name}`, { shape, values: new Float64Array(sizeOf(shape)) }],
      ]),
    ),
  });

  for (const role of ['policy', 'critic'] as const) {
    it(`agree with finite differences to 1e-6 in float64 (${role})`, () => {
      const graph = buildTrainingGraph({ config, role, length: 5, rows: dim('N') }, loss, ['old']);
      const feeds: Feeds = feedsOf(role);
      const lossAt = (changed: Feeds): number =>
        Array.from(evaluate(graph, { ...feeds, ...changed })['loss']?.values ?? [NaN], Number).reduce(
          (a, b) => a + b,
          0,
        );
      const outputs = evaluate(graph, feeds);
      for (const [name, shape] of parameterShapes(config, role)) {
        // mostly along the gradient, so that the derivative is far from 0 and a relative comparison means something
        const slope = Float64Array.from({ length: sizeOf(shape) }, (_, i) =>
          Number(outputs[`${GRADIENT}${name}`]?.values[i]),
        );
        const largest = slope.reduce((most, v) => Math.max(most, Math.abs(v)), 0);
        const direction = random(sizeOf(shape), 0.3).map((v, i) => v + (slope[i] as number) / largest);
        const at = (step: number): Feeds => ({
          [name]: { shape, values: direction.map((v, i) => Number(feeds[name]?.values[i]) + step * v) },
        });
        const numeric = (lossAt(at(1e-5)) - lossAt(at(-1e-5))) / 2e-5;
        const symbolic = direction.reduce((total, v, i) => total + v * (slope[i] as number), 0);
        expect(Math.abs(numeric - symbolic), name).toBeLessThan(1e-6 * Math.abs(numeric));
      }
    });
  }

  it('are the same in chunks of rows', () => {
    const feeds = feedsOf('policy');
    const [whole, chunks] = [4, 3].map((chunkRows) => {
      const options = { config, role: 'policy', length: 5, rows: 4, chunkRows } as const;
      return evaluate(buildTrainingGraph(options, loss, ['old']), feeds);
    });
    for (const [name, { values }] of Object.entries(whole ?? {}))
      values.forEach((x, i) =>
        expect(Math.abs(x - (chunks?.[name]?.values[i] ?? NaN)), name).toBeLessThan(1e-12),
      );
  });
});

describe('causalAttention', () => {
  const shapes = { q: [2, 4, 7, 4], k: [2, 2, 7, 4], v: [2, 2, 7, 4] };
  const feeds = Object.fromEntries(
    Object.entries(shapes).map(([name, shape]) => [name, { shape, values: random(sizeOf(shape)) }]),
  );

  const plain = { scale: 0.5 };

  function attend(blockRows: number, attention: AttentionShape = plain) {
    const graph = new Graph();
    const [q, k, v] = Object.entries(shapes).map(([name, shape]) => graph.input(name, 'float32', shape)) as [
      Tensor,
      Tensor,
      Tensor,
    ];
    const output = graph.output('output', causalAttention(q, k, v, attention, blockRows));
    gradient(sum(mul(output, output)), [q, k, v]).forEach((g, i) => graph.output(`d${i}`, g));
    return evaluate(graph, feeds);
  }

  it('gives the same output and gradients in blocks of any size', () => {
    const whole = attend(7);
    for (const blockRows of [1, 2, 3, 6]) {
      for (const [name, { values }] of Object.entries(attend(blockRows))) {
        values.forEach((x, i) =>
          expect(Math.abs(x - (whole[name]?.values[i] ?? NaN)), name).toBeLessThan(1e-12),
        );
      }
    }
  });

  it('has the output and gradients of attention written out, with a window and a soft cap', () => {
    const attention = { scale: 0.7, window: 3, softCap: 0.8 };
    const expected = attendWrittenOut(feeds, attention);
    for (const blockRows of [1, 3, 7]) {
      for (const [name, { values }] of Object.entries(attend(blockRows, attention))) {
        values.forEach((x, i) =>
          expect(Math.abs(x - (expected[name]?.values[i] ?? NaN)), name).toBeLessThan(1e-12),
        );
      }
    }
  });

  it('does not let a position see later ones', () => {
    const before = attend(3)['output']?.values ?? [];
    const keys = feeds['k']?.values as Float64Array;
    const changed = keys.slice();
    for (let i = 0; i < changed.length; i += 1) if (Math.floor(i / 4) % 7 === 6) changed[i] = 5;
    feeds['k'] = { shape: shapes.k, values: changed };
    const after = attend(3)['output']?.values ?? [];
    feeds['k'] = { shape: shapes.k, values: keys };
    for (let i = 0; i < before.length; i += 1) {
      if (Math.floor(i / 4) % 7 < 6) expect(after[i]).toBe(before[i]);
    }
    expect(Array.from(after)).not.toEqual(Array.from(before));
  });
});

/** Attention of [2, 4, 7, 4] queries to [2, 2, 7, 4] keys, differentiated operator by operator. */
function attendWrittenOut(feeds: Feeds, attention: Required<Omit<AttentionShape, 'rotary'>>) {
  const graph = new Graph();
  const [q, k, v] = ['q', 'k', 'v'].map((name) =>
    graph.input(name, 'float32', feeds[name]?.shape as number[]),
  ) as [Tensor, Tensor, Tensor];
  const { window, softCap } = attention as { window: number; softCap: number };
  const hidden = Float64Array.from({ length: 49 }, (_, i) => {
    const query = Math.floor(i / 7);
    const key = i % 7;
    return key > query || key <= query - window ? -1e30 : 0;
  });
  const scores = matmul(reshape(q, [2, 2, 14, 4]), k, { transposeB: true, scale: attention.scale });
  const capped = reshape(scale(tanh(scale(scores, 1 / softCap)), softCap), [2, 2, 2, 7, 7]);
  const shares = softmax(add(capped, graph.constant(hidden, 'float32', [7, 7])), -1);
  const output = reshape(matmul(reshape(shares, [2, 2, 14, 7]), v), [2, 4, 7, 4]);
  graph.output('output', output);
  gradient(sum(mul(output, output)), [q, k, v]).forEach((g, i) => graph.output(`d${i}`, g));
  return evaluate(graph, feeds);
}
