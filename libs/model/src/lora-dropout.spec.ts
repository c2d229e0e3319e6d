import { DROPOUT_PRIME, evaluate, Graph, type Tensor, zeros } from '@espalier/graph';
import { describe, expect, it } from 'vitest';
import { declareDropout, dropoutFeeds, dropoutNext, dropoutStart } from './lora-dropout.js';

const rate = 0.25;
const rows = 300;
const columns = 200;

/** Whether each entry is kept, in rows of a sequence of ids 0, 1, 2, … */
function drawMask(path: string, { seed = 1, step = 0, role = 'policy' } = {}): boolean[] {
  const graph = new Graph();
  const ids = graph.input('ids', 'int64', [rows]);
  const x = graph.input('x', 'float32', [rows, columns]);
  graph.output('mask', declareDropout(graph, ids, { rate, seed }).maskOf(path)(x));
  let state = dropoutStart(seed, role, step);
  const states = Uint32Array.from({ length: rows }, (_, token) => (state = dropoutNext(state, token)));
  const keys = Object.entries(dropoutFeeds(states)).map(([name, feed]) => [
    name,
    { ...feed, values: [...feed.values] },
  ]);
  const { mask } = evaluate(graph, {
    ...Object.fromEntries(keys),
    ids: { shape: [rows], values: new Array<number>(rows).fill(0) },
    x: { shape: [rows, columns], values: new Array<number>(rows * columns).fill(0) },
  });
  const factors = [...(mask?.values ?? [])];
  expect(new Set(factors)).toEqual(new Set([0, 1 / (1 - rate)]));
  return factors.map((factor) => factor !== 0);
}

const shareOf = (bits: readonly boolean[]): number => bits.filter(Boolean).length / bits.length;

describe('the mask of dropout', () => {
  const mask = drawMask('model.layers.0.mlp.down_proj');

  it('keeps about its share, in every row and column', () => {
    // 60,000 entries: a standard error of 0.0018; 200 and 300 entries: 0.031 and 0.025
    expect(Math.abs(shareOf(mask) - 0.75)).toBeLessThan(0.008);
    for (let row = 0; row < rows; row += 1)
      expect(Math.abs(shareOf(mask.slice(row * columns, (row + 1) * columns)) - 0.75)).toBeLessThan(0.14);
    for (let column = 0; column < columns; column += 1)
      expect(Math.abs(shareOf(mask.filter((_, i) => i % columns === column)) - 0.75)).toBeLessThan(0.13);
  });

  it.each([
    ['another layer', drawMask('model.layers.1.mlp.down_proj')],
    ['another step', drawMask('model.layers.0.mlp.down_proj', { step: 1 })],
    ['another seed', drawMask('model.layers.0.mlp.down_proj', { seed: 2 })],
    ['a critic', drawMask('model.layers.0.mlp.down_proj', { role: 'critic' })],
    ['the next row', [...mask.slice(columns), ...mask.slice(0, columns)]],
    ['the next column', [...mask.slice(1), mask[0]!]],
  ])('has nothing to do with that of %s', (_, other) => {
    // both kept: 0.75² of them, with a standard error of 0.002
    expect(Math.abs(shareOf(mask.map((kept, i) => kept && other[i]!)) - 0.5625)).toBeLessThan(0.01);
  });

  it('is the same for the same seed, step and tokens', () => {
    expect(drawMask('model.layers.0.mlp.down_proj')).toEqual(mask);
  });

  it('has keys in the range that keeps products in int32', () => {
    const states = Uint32Array.of(0, 1, DROPOUT_PRIME - 2, DROPOUT_PRIME - 1, 2 ** 31, 2 ** 32 - 1);
    const [multipliers, offsets] = Object.values(dropoutFeeds(states)).map(({ values }) => [...values]) as [
      number[],
      number[],
    ];
    expect(multipliers).toEqual([1, 2, 46336, 1, 41729, 37120]);
    expect(offsets).toEqual([0, 0, 0, 1, 8, 17]);
    expect(46336 * 46336 + 46336).toBeLessThan(2 ** 31);
  });

  it('gives a layer of more inputs than there are keys each key again', () => {
    const graph = new Graph();
    const ids = graph.input('ids', 'int64', [1]);
    const wide = zeros(ids, [1, DROPOUT_PRIME + 3]);
    declareDropout(graph, ids, { rate, seed: 1 }).maskOf('a')(wide);
    const keys = graph.nodes.flatMap(({ outputs }) => outputs).find(isKeys) as Tensor;
    expect(new Set(Array.from((keys.node.attributes as { values: ArrayLike<number> }).values)).size).toBe(
      DROPOUT_PRIME,
    );
  });
});

const isKeys = ({ dtype, shape }: Tensor): boolean => dtype === 'int32' && shape[0] === DROPOUT_PRIME + 3;
