import { Graph, evaluate } from '@espalier/graph';
import { describe, expect, it } from 'vitest';
import { buildDraw } from './sample-token.js';

/** Draws from rows of logits; a greedy row has a uniform number that would pick another token. */
function draw(
  logits: readonly (readonly number[])[],
  {
    greedy,
    isFiltered,
    topP = 0.9999999,
  }: { readonly greedy: readonly number[]; readonly isFiltered: boolean; readonly topP?: number },
): number[] {
  const graph = new Graph();
  const rows = logits.length;
  const size = logits[0]!.length;
  const column = (name: string) => graph.input(name, 'float32', [rows]);
  const drawn = buildDraw(graph.input('logits', 'float32', [rows, size]), (x) => x, {
    uniform: column('uniform'),
    inverseTemperature: column('inverseTemperature'),
    greedy: column('greedy'),
    softCap: undefined,
    isBf16: false,
    ...(isFiltered ? { filter: { topP: column('topP'), topK: column('topK') } } : {}),
  });
  graph.output('ids', drawn.ids);
  const of = (values: readonly number[]) => ({ shape: [rows], values: [...values] });
  const same = (value: number) => of(new Array<number>(rows).fill(value));
  const { ids } = evaluate(graph, {
    logits: { shape: [rows, size], values: logits.flat() },
    uniform: same(0.999999),
    inverseTemperature: same(1),
    greedy: of(greedy),
    ...(isFiltered ? { topP: same(topP), topK: same(size) } : {}),
  });
  return [...ids!.values];
}

// searched entry by entry, and in blocks
describe.each([7, 3000])('a draw from %i tokens', (size) => {
  const peaked = (...peaks: number[]) =>
    Array.from({ length: size }, (_, i) => (peaks.includes(i) ? 2 : Math.sin(i)));
  const last = size - 1;

  it.each([false, true])(
    'takes the most probable token of a greedy row alone (filtered: %s)',
    (isFiltered) => {
      const rows = [peaked(3), peaked(last), peaked(0), peaked(3)];
      expect(draw(rows, { greedy: [1, 1, 1, 0], isFiltered }).slice(0, 3)).toEqual([3, last, 0]);
      expect(draw(rows, { greedy: [1, 1, 1, 0], isFiltered })[3]).not.toBe(3);
    },
  );

  it('draws a row that is not filtered as among rows of which none is', () => {
    const rows = [peaked(3), peaked(last), peaked(0)];
    const [alone, among] = [false, true].map((isFiltered) =>
      draw(rows, { greedy: [0, 0, 0], isFiltered, topP: 2 }),
    );
    expect(among).toEqual(alone);
  });

  it.each([false, true])('takes the first of equally probable tokens (filtered: %s)', (isFiltered) => {
    expect(draw([peaked(2, 5), peaked(5, last)], { greedy: [1, 1], isFiltered })).toEqual([2, 5]);
  });
});
