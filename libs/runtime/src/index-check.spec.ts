import {
  dimProduct,
  dim,
  gather,
  gatherElements,
  Graph,
  reshape,
  scatterAdd,
  square,
  tokenLogProbs,
} from '@espalier/graph';
import { describe, expect, it } from 'vitest';
import { checkIndices, findLookups, type Lookup } from './index-check.js';

const big = (...values: number[]) => ({
  dtype: 'int64' as const,
  shape: [values.length],
  values: BigInt64Array.from(values, BigInt),
});

describe('the indices of a graph', () => {
  it('are the inputs that look something up, as they are or reshaped', () => {
    const graph = new Graph();
    const table = graph.input('table', 'float32', [10, 4]);
    const ids = graph.input('ids', 'int64', ['N', 2]);
    const rows = graph.input('rows', 'int64', ['N']);
    const targets = graph.input('targets', 'int64', ['N']);
    const logits = graph.input('logits', 'float32', ['N', 7]);
    graph.output('a', gather(table, reshape(ids, [-1]), 0));
    graph.output('b', square(gather(logits, rows, 0)));
    graph.output('c', tokenLogProbs(logits, targets));
    graph.output('d', gather(table, ids, 0));
    expect(findLookups(graph).map(({ input, size }) => [input, String(size)])).toEqual([
      ['ids', '10'],
      ['rows', 'N'],
      ['targets', '7'],
    ]);
  });

  it('are none where they are computed', () => {
    const graph = new Graph();
    const x = graph.input('x', 'float32', [3, 2]);
    const places = graph.constant([0, 2], 'int64', [1, 2]);
    graph.output('y', gatherElements(x, places, 0));
    graph.output('z', scatterAdd(x, places, graph.input('updates', 'float32', [1, 2]), 0));
    expect(findLookups(graph)).toEqual([]);
  });
});

describe('an index', () => {
  const lookup: Lookup[] = [{ input: 'ids', size: 10 }];
  const check = (...values: number[]): void => checkIndices(lookup, { ids: big(...values) }, new Map());

  it('may count from the end', () => expect(() => check(0, 9, -1, -10)).not.toThrow());

  it.each([10, -11, 2 ** 31, 2 ** 32, 2 ** 32 + 3, -(2 ** 32), -(2 ** 40)])('is refused: %d', (index) => {
    expect(() => check(3, index)).toThrow(
      `run session: input "ids" has ${index} at place 1, an index of an axis of size 10; expected -10 to 9`,
    );
  });

  it('is measured by the sizes of the run', () => {
    const found: Lookup[] = [{ input: 'ids', size: dimProduct(dim('N'), 3) }];
    const sizes = new Map([['N', { size: 4, from: '"x"' }]]);
    const ids = { dtype: 'int32' as const, shape: [2], values: Int32Array.of(0, 11) };
    expect(() => checkIndices(found, { ids }, sizes)).not.toThrow();
    ids.values[1] = 12;
    expect(() => checkIndices(found, { ids }, sizes)).toThrow('axis of size 12');
  });
});
