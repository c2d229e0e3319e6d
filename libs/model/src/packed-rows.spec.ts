import { dim, evaluate, exp, type Feeds, Graph, gradient, mul, neg, sub, sum } from '@espalier/graph';
import { createStream } from '@espalier/random';
import { describe, expect, it } from 'vitest';
import { parseModelConfig } from './families/families.js';
import { declarePackedRows } from './layers/row-layout.js';
import { parameterShapes } from './model-weights.js';
import { type PackedGroup, packRows } from './packed-rows.js';
import { buildScoreGraph } from './score-graph.js';
import { buildTrainingGraph } from './training-graph.js';
import type { LossGraph } from './training-heads.js';
import { COLUMN, GATHERED, GRADIENT } from './training-names.js';

const stream = createStream(5);
const random = (count: number): Float64Array =>
  Float64Array.from({ length: count }, () => 2 * stream.next() - 1);
const sizeOf = (shape: readonly number[]): number => shape.reduce((a, b) => a * b, 1);
const tokens = (count: number): number[] => Array.from({ length: count }, () => stream.int(11));

const sizes = {
  vocab_size: 11,
  hidden_size: 8,
  num_hidden_layers: 2,
  num_attention_heads: 4,
  num_key_value_heads: 2,
  intermediate_size: 6,
  max_position_embeddings: 400,
  tie_word_embeddings: true,
};
const llama = parseModelConfig({ model_type: 'llama', ...sizes });
/** windows that begin in a prefix and behind it, caps on scores and logits */
const gemma = parseModelConfig({
  model_type: 'gemma2',
  ...sizes,
  head_dim: 4,
  sliding_window: 5,
  query_pre_attn_scalar: 3,
  attn_logit_softcapping: 0.7,
  final_logit_softcapping: 1.5,
});
const heads = { query: 4, key: 2 };

/** A group by the lengths of what it shares and of what its members have of their own, and what counts in it. */
interface Case {
  readonly title: string;
  readonly groups: readonly { readonly shared: number; readonly own: readonly number[] }[];
  readonly isInLoss: (position: number, shared: number) => boolean;
}

const afterPrefix = (position: number, shared: number): boolean => position >= shared;
const cases: readonly Case[] = [
  {
    title: 'groups of different lengths and sizes',
    groups: [
      { shared: 9, own: [3, 5, 1] },
      { shared: 4, own: [6, 2] },
    ],
    isInLoss: afterPrefix,
  },
  { title: 'one member', groups: [{ shared: 5, own: [4] }], isInLoss: afterPrefix },
  {
    title: 'no shared token',
    groups: [
      { shared: 0, own: [4] },
      { shared: 0, own: [7] },
    ],
    isInLoss: (p) => p > 1,
  },
  {
    title: 'a member without a prefix beside a group with one',
    groups: [
      { shared: 6, own: [4, 4] },
      { shared: 0, own: [5] },
    ],
    isInLoss: (p) => p > 2,
  },
  {
    title: 'loss positions inside the prefix',
    groups: [{ shared: 7, own: [3, 2, 5] }],
    isInLoss: (position) => position >= 3,
  },
  {
    title: 'turns: loss positions with gaps',
    groups: [
      { shared: 8, own: [11, 14, 9] },
      { shared: 8, own: [12, 3] },
    ],
    isInLoss: (position, shared) => position >= shared && (position - shared) % 5 < 3,
  },
  {
    title: 'several blocks of rows',
    groups: [
      { shared: 71, own: [68, 20] },
      { shared: 66, own: [75] },
    ],
    isInLoss: (position) => position % 3 === 0 && position > 60,
  },
  { title: 'nothing padded', groups: [{ shared: 4, own: [3, 3] }], isInLoss: afterPrefix },
];

const loss: LossGraph = ({ logprobs, entropies, values, columns }) => {
  const ratio = exp(sub(logprobs, columns['old'] ?? logprobs));
  return { perToken: sub(neg(mul(ratio, values)), mul(entropies, 0.3)), metrics: { ratio } };
};

interface Sequence {
  readonly group: number;
  readonly member: number;
  readonly ids: readonly number[];
  readonly positions: readonly number[];
}

function draw({ groups, isInLoss }: Case) {
  const packs: PackedGroup[] = [];
  const sequences: Sequence[] = [];
  groups.forEach(({ shared, own }, group) => {
    const prefix = tokens(shared);
    const members = own.map((length) => tokens(length));
    packs.push({ prefix: Int32Array.from(prefix), members: members.map((ids) => Int32Array.from(ids)) });
    members.forEach((ids, member) => {
      const all = [...prefix, ...ids];
      // the last token is predicted by the row of none: it may be counted one further
      const positions = [...all, 0].flatMap((_, p) => (p > 0 && isInLoss(p, shared) ? [p] : []));
      sequences.push({ group, member, ids: [...all, stream.int(11)], positions });
    });
  });
  return { packs, sequences };
}

/** Runs a graph over the same sequences in both layouts. */
function runBoth(
  role: 'policy' | 'critic',
  { packs, sequences }: ReturnType<typeof draw>,
  kind: 'train' | 'score',
  config = llama,
  least?: Parameters<typeof packRows>[2],
) {
  const counted = sequences.flatMap((sequence, row) =>
    sequence.positions.map((p) => ({ ...sequence, row, p })),
  );
  const shape = [counted.length];
  const parameters = [...parameterShapes(config, role)].flatMap(([name, own]) => [
    [name, { shape: own, values: random(sizeOf(own)) }] as const,
    [`${GATHERED}${name}`, { shape: own, values: random(sizeOf(own)) }] as const,
  ]);
  const common: Feeds = {
    ...Object.fromEntries(parameters),
    targets: { shape, values: counted.map(({ ids, p }) => ids[p] ?? NaN) },
    inverse_temperature: { shape, values: counted.map((_, n) => 1 + 0.1 * (n % 3)) },
    weights: { shape, values: random(counted.length) },
    [`${COLUMN}old`]: { shape, values: counted.map(() => -2.4) },
  };
  const longest = Math.max(...sequences.map(({ ids }) => ids.length));
  const padded: Feeds = {
    ids: {
      shape: [sequences.length, longest],
      values: sequences.flatMap(({ ids }) => [...ids, ...new Array<number>(longest - ids.length).fill(0)]),
    },
    rows: { shape, values: counted.map(({ row, p }) => row * longest + p - 1) },
  };
  const packed = packRows(packs, heads, least);
  const packedFeeds: Feeds = {
    ...packed.feeds,
    rows: { shape, values: counted.map(({ group, member, p }) => packed.rowOf(group, member, p - 1)) },
  };
  const build = (length: number | typeof packed.layout): Graph => {
    const options = { config, role, length, rows: dim('N') } as const;
    return kind === 'train' ? buildTrainingGraph(options, loss, ['old']) : buildScoreGraph(options);
  };
  return {
    packed,
    plain: evaluate(build(longest), { ...common, ...padded }),
    shared: evaluate(build(packed.layout), { ...common, ...packedFeeds }),
  };
}

function expectEqual({ plain, shared }: Pick<ReturnType<typeof runBoth>, 'plain' | 'shared'>): void {
  expect(Object.keys(shared)).toEqual(Object.keys(plain));
  for (const [name, { values }] of Object.entries(plain)) {
    const size = Array.from(values, Number).reduce((largest, x) => Math.max(largest, Math.abs(x)), 0);
    const found = shared[name]?.values ?? [];
    expect(found.length, name).toBe(values.length);
    values.forEach((x, i) => expect(Math.abs(x - (found[i] ?? NaN)), name).toBeLessThan(1e-9 * size));
  }
}

describe('packed rows', () => {
  for (const role of ['policy', 'critic'] as const) {
    it.each(cases)(`give the ${role} the loss and the gradients of padded sequences: $title`, (drawn) => {
      const both = runBoth(role, draw(drawn), 'train');
      expect(Object.keys(both.shared).filter((name) => name.startsWith(GRADIENT)).length).toBeGreaterThan(10);
      expectEqual(both);
    });
  }

  it.each(cases)('do so with windows and soft caps: $title', (drawn) => {
    expectEqual(runBoth('policy', draw(drawn), 'train', gemma));
  });

  it.each(cases)('do so in more blocks than they need: $title', (drawn) => {
    const least = { prefixBlocks: 4, ownBlocks: 8 };
    const both = runBoth('policy', draw(drawn), 'train', gemma, least);
    const { prefixBlocks, ownBlocks } = both.packed.layout;
    expect([0, 4]).toContain(prefixBlocks);
    expect(ownBlocks).toBe(8);
    expectEqual(both);
  });

  it.each(cases)('do so in one block each, as on a GPU: $title', (drawn) => {
    const least = { prefixBlocks: 0, ownBlocks: 0, blockRows: 1024 };
    const both = runBoth('policy', draw(drawn), 'train', gemma, least);
    const { prefixBlocks, ownBlocks } = both.packed.layout;
    expect([0, 1]).toContain(prefixBlocks);
    expect(ownBlocks).toBe(1);
    expectEqual(both);
  });

  it.each(cases)('do so with a prefix that may have no rows: $title', (drawn) => {
    const least = { prefixBlocks: 1, ownBlocks: 4, blockRows: 256, keepsPrefix: true };
    const both = runBoth('policy', draw(drawn), 'train', gemma, least);
    expect(both.packed.layout).toEqual(least);
    expectEqual(both);
  });

  it('give the scores of padded sequences', () => {
    for (const drawn of cases) expectEqual(runBoth('policy', draw(drawn), 'score'));
  });

  it('compute a prefix once and pad at most one row', () => {
    const { packed } = runBoth('policy', draw(cases[0] as Case), 'score');
    expect(packed.rowCount).toBe(9 + 3 + 5 + 1 + 4 + 6 + 2 + 1);
    expect(packed.paddedRows).toBe(1);
    expect(packRows([{ prefix: Int32Array.of(1, 2), members: [Int32Array.of(3)] }], heads).paddedRows).toBe(
      0,
    );
  });
});

describe('attention to a shared prefix', () => {
  it.each([
    { scale: 0.7 },
    { scale: 0.7, window: 4 },
    { scale: 0.7, softCap: 0.5 },
    { scale: 0.7, window: 4, softCap: 0.5 },
  ])('has the gradients that finite differences have: %j', (attention) => {
    const { packs } = draw(cases[0] as Case);
    const packed = packRows(packs, heads);
    const graph = new Graph();
    const layout = declarePackedRows(graph, packed.layout, heads);
    const rows = packed.rowCount;
    const shapes = { q: [rows, 4, 2], k: [rows, 2, 2], v: [rows, 2, 2] };
    const inputs = Object.entries(shapes).map(([name, [, ...inner]]) =>
      graph.input(name, 'float32', ['U', ...(inner as number[])]),
    );
    const [q, k, v] = inputs as [(typeof inputs)[0], (typeof inputs)[0], (typeof inputs)[0]];
    const output = layout.attend(q, k, v, attention);
    const seed = graph.input('seed', 'float32', ['U', 8]);
    graph.output('loss', sum(mul(output, seed)));
    gradient(sum(mul(output, seed)), inputs).forEach((g, i) => graph.output(`d${'qkv'[i]}`, g));
    const seeds = random(rows * 8);
    seeds.fill(0, (rows - packed.paddedRows) * 8); // what is padded reaches no loss
    const feeds: Feeds = {
      ...packed.feeds,
      seed: { shape: [rows, 8], values: seeds },
      ...Object.fromEntries(
        Object.entries(shapes).map(([name, shape]) => [name, { shape, values: random(sizeOf(shape)) }]),
      ),
    };
    const outputs = evaluate(graph, feeds);
    for (const [name, shape] of Object.entries(shapes)) {
      const direction = random(sizeOf(shape));
      const at = (step: number): number => {
        const values = direction.map((x, i) => Number(feeds[name]?.values[i]) + step * x);
        return Number(evaluate(graph, { ...feeds, [name]: { shape, values } })['loss']?.values[0]);
      };
      const numeric = (at(1e-5) - at(-1e-5)) / 2e-5;
      const found = outputs[`d${name}`]?.values ?? [];
      const symbolic = direction.reduce((total, x, i) => total + x * (found[i] ?? NaN), 0);
      expect(Math.abs(numeric - symbolic), name).toBeLessThan(1e-7 * Math.max(1, Math.abs(numeric)));
    }
  });
});
