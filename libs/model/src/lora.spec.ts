import {
  dim,
  dropoutMask,
  evaluate,
  type Feeds,
  Graph,
  gradient,
  neg,
  sum,
  type Tensor,
} from '@espalier/graph';
import { createStream } from '@espalier/random';
import { describe, expect, it } from 'vitest';
import { parseModelConfig } from './families/families.js';
import { findLoraProblem, initializeLora, loraProduct, loraShapes, resolveLora } from './lora.js';
import { dropoutFeeds } from './lora-dropout.js';
import { type GraphModel, splitParameters } from './sequence-inputs.js';
import { buildTrainingGraph } from './training-graph.js';
import type { LossGraph } from './training-heads.js';
import { GATHERED, GRADIENT } from './training-names.js';

const json = {
  model_type: 'qwen2',
  vocab_size: 11,
  hidden_size: 8,
  num_hidden_layers: 2,
  num_attention_heads: 4,
  num_key_value_heads: 2,
  intermediate_size: 6,
  max_position_embeddings: 16,
  tie_word_embeddings: true,
};
const config = parseModelConfig(json);
const untied = parseModelConfig({ ...json, tie_word_embeddings: false });
const options = {
  rank: 2,
  alpha: 3,
  rankStabilized: false,
  dropout: 0,
  targets: ['q_proj', 'mlp.down_proj'],
};
const lora = resolveLora(config, options);
const stream = createStream(3);
const random = (shape: readonly number[]) => ({
  shape,
  values: Float64Array.from({ length: shape.reduce((a, b) => a * b, 1) }, () => 2 * stream.next() - 1),
});

describe('adapters', () => {
  it('give the product worked by hand', () => {
    const graph = new Graph();
    const shapes = { x: [1, 2], a: [1, 2], b: [3, 1] };
    const [x, a, b] = Object.entries(shapes).map(([name, shape]) => graph.input(name, 'float32', shape)) as [
      Tensor,
      Tensor,
      Tensor,
    ];
    const y = graph.output('y', loraProduct(x, a, b, { scale: 0.5 }));
    gradient(sum(y), [a, b]).forEach((g, i) => graph.output(['da', 'db'][i] as string, g));
    const values = { x: [2, 3], a: [5, -1], b: [1, 0, -4] };
    const feeds = Object.fromEntries(
      Object.entries(shapes).map(([name, shape]) => [
        name,
        { shape, values: values[name as keyof typeof values] },
      ]),
    );
    const found = evaluate(graph, feeds);
    const numbers = (name: string): number[] => Array.from(found[name]?.values ?? []);
    // x·Aᵀ = 2·5 − 3 = 7; times Bᵀ and 0.5
    expect(numbers('y')).toEqual([3.5, 0, -14]);
    // dA = 0.5 · ΣB · x = −1.5 · x; dB = 0.5 · 7
    expect(numbers('da')).toEqual([-3, -4.5]);
    expect(numbers('db')).toEqual([3.5, 3.5, 3.5]);
  });

  it('drop inputs as worked by hand, and their gradients with them', () => {
    const graph = new Graph();
    const shapes = { x: [2, 2], a: [1, 2], b: [1, 1] };
    const [x, a, b] = Object.entries(shapes).map(([name, shape]) => graph.input(name, 'float32', shape)) as [
      Tensor,
      Tensor,
      Tensor,
    ];
    const keys = (values: number[]): Tensor => graph.constant(Int32Array.from(values));
    // (3·100 + 7) mod 46337 = 307 and (3·20000 + 7) mod 46337 = 13670 in the first row, (1·k + 46000) mod 46337 in the second:
    // 46100 and 19663; a rate of 0.3 drops below 13901.1, so the first row is dropped as a whole
    const rows = { multipliers: keys([3, 1]), offsets: keys([7, 46_000]) };
    const columns = keys([100, 20_000]);
    const mask = (): Tensor => dropoutMask(rows, columns, 0.3);
    const y = graph.output('y', loraProduct(x, a, b, { scale: 0.7, mask }));
    gradient(sum(y), [x, a, b]).forEach((g, i) => graph.output(['dx', 'da', 'db'][i] as string, g));
    const values = { x: [2, 3, 4, -6], a: [5, -1], b: [2] };
    const feeds = Object.fromEntries(
      Object.entries(shapes).map(([name, shape]) => [
        name,
        { shape, values: values[name as keyof typeof values] },
      ]),
    );
    const found = evaluate(graph, feeds);
    const expectNumbers = (name: string, expected: number[]): void => {
      expected.forEach((value, i) => expect(found[name]?.values[i], name).toBeCloseTo(value, 12));
      expect(found[name]?.values).toHaveLength(expected.length);
    };
    // second row: both kept and divided by 0.7, which is the scale: (4·5 + 6)·2
    expectNumbers('y', [0, 52]);
    expectNumbers('dx', [0, 0, 10, -2]);
    expectNumbers('da', [8, -12]);
    expectNumbers('db', [26]);
  });

  it('scale by alpha / rank, or by alpha / √rank', () => {
    expect(lora.scale).toBe(1.5);
    expect(resolveLora(config, { ...options, rankStabilized: true }).scale).toBeCloseTo(3 / Math.SQRT2, 12);
  });

  it('begin with B zero and A uniform within 1/√in, by name and seed', () => {
    const first = initializeLora(config, lora, 7);
    expect([...first.keys()]).toEqual([...loraShapes(config, lora).keys()]);
    for (const [name, { data, shape }] of first) {
      if (name.includes('lora_B')) expect(data.every((x) => x === 0)).toBe(true);
      else expect(data.every((x) => x !== 0 && Math.abs(x) <= 1 / Math.sqrt(shape[1] ?? 0))).toBe(true);
    }
    expect(initializeLora(config, lora, 7)).toEqual(first);
    expect(initializeLora(config, lora, 8)).not.toEqual(first);
    const fewer = initializeLora(config, resolveLora(config, { ...options, targets: ['q_proj'] }), 7);
    for (const [name, weight] of fewer) expect(first.get(name)).toEqual(weight);
  });

  it.each([
    [
      { targets: ['w_proj'] },
      'targets',
      '"w_proj": no linear layer of qwen2 has this name; choose from q_proj',
    ],
    [
      { targets: ['q_proj', 'lm_head'] },
      'targets',
      '"lm_head": the output head of this model is its table of embeddings, which stays frozen; choose from q_proj',
    ],
    [{ targets: ['embed_tokens'] }, 'targets', '"embed_tokens": embeddings are looked up, not multiplied'],
    [{ rank: 7 }, 'rank', '7: model.layers.0.mlp.down_proj is 8 × 6; choose at most 6'],
    // the smallest of all that are too small, so that one correction is enough
    [{ rank: 9, targets: 'all-linear' as const }, 'rank', '9: model.layers.0.self_attn.k_proj is 4 × 8'],
    [{ rank: 5, targets: 'all-linear' as const }, 'rank', '5: model.layers.0.self_attn.k_proj is 4 × 8'],
  ])('are refused: %j', (change, option, sentence) => {
    const [found, text] = findLoraProblem(config, { ...options, ...change }) ?? [];
    expect(found).toBe(option);
    expect(text).toContain(sentence);
  });
});

const withHead = resolveLora(untied, { ...options, targets: ['q_proj', 'lm_head'] });
const dropout = { rate: 0.4, seed: 5 };
const kinds: readonly [
  string,
  GraphModel & Pick<Parameters<typeof buildTrainingGraph>[0], 'dropout' | 'recomputes'>,
  trainedCount: number,
][] = [
  ['a policy', { config, role: 'policy', isFrozen: true, lora }, 8],
  [
    'a policy with adapters of its head',
    { config: untied, role: 'policy', isFrozen: true, lora: withHead },
    6,
  ],
  ['a critic with adapters', { config, role: 'critic', isFrozen: true, lora }, 9],
  [
    'a critic beside adapters of the head',
    { config: untied, role: 'critic', isFrozen: true, lora: withHead },
    5,
  ],
  ['a policy with dropout', { config, role: 'policy', isFrozen: true, lora, dropout }, 8],
  [
    'a policy with dropout that recomputes, its head too',
    { config: untied, role: 'policy', isFrozen: true, lora: withHead, dropout, recomputes: true },
    6,
  ],
  ['a critic with dropout', { config, role: 'critic', isFrozen: true, lora, dropout }, 9],
  ['a head on a policy', { config, role: 'critic', isFrozen: true, lora, isLoraFrozen: true }, 1],
];

/** Keys of rows of two sequences. */
function rowKeys(count: number): Feeds {
  const keys = dropoutFeeds(Uint32Array.from({ length: count }, () => stream.word()));
  return Object.fromEntries(
    Object.entries(keys).map(([name, { values }]) => [name, { shape: [2, count / 2], values: [...values] }]),
  );
}

describe.each(kinds)('gradients of %s', (_, model, trainedCount) => {
  const loss: LossGraph = ({ values }) => ({ perToken: neg(values), metrics: {} });
  const { trained, frozen } = splitParameters(model);
  const graph = buildTrainingGraph({ ...model, length: 5, rows: dim('N') }, loss, []);
  const feeds: Feeds = {
    ids: { shape: [2, 5], values: [1, 4, 9, 2, 7, 3, 3, 0, 10, 5] },
    rows: { shape: [4], values: [0, 3, 6, 7] },
    targets: { shape: [4], values: [4, 7, 0, 10] },
    inverse_temperature: { shape: [4], values: [1, 0.8, 1.2, 1] },
    weights: { shape: [4], values: [0.1, 0.4, 0.2, 0.3] },
    ...(model.dropout && rowKeys(10)),
    ...Object.fromEntries([...trained, ...frozen].map(([name, shape]) => [name, random(shape)])),
    ...Object.fromEntries(
      [...trained].map(([name, shape]) => [
        `${GATHERED}${name}`,
        { shape, values: new Float64Array(shape.reduce((a, b) => a * b, 1)) },
      ]),
    ),
  };

  it('exist for what is trained, and nothing else', () => {
    const names = [...graph.outputs.keys()].filter((name) => name.startsWith(GRADIENT));
    expect(names.sort()).toEqual([...trained.keys()].map((name) => `${GRADIENT}${name}`).sort());
    expect(trained.size).toBe(trainedCount);
  });

  it('agree with finite differences to 1e-6 in float64', () => {
    const lossAt = (changed: Feeds): number =>
      Array.from(evaluate(graph, { ...feeds, ...changed })['loss']?.values ?? [NaN]).reduce(
        (a, b) => a + b,
        0,
      );
    const outputs = evaluate(graph, feeds);
    for (const [name, shape] of trained) {
      const slope = Array.from(outputs[`${GRADIENT}${name}`]?.values ?? []);
      const largest = slope.reduce((most, x) => Math.max(most, Math.abs(x)), 0);
      expect(largest, name).toBeGreaterThan(0);
      const direction = slope.map((x) => x / largest);
      const at = (step: number): Feeds => ({
        [name]: { shape, values: direction.map((x, i) => Number(feeds[name]?.values[i]) + step * x) },
      });
      const numeric = (lossAt(at(1e-5)) - lossAt(at(-1e-5))) / 2e-5;
      const symbolic = direction.reduce((total, x, i) => total + x * (slope[i] ?? NaN), 0);
      expect(Math.abs(numeric - symbolic), name).toBeLessThan(1e-6 * Math.abs(numeric));
    }
  });
});
