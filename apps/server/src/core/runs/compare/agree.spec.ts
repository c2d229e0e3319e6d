import { describe, expect, it } from 'vitest';
import { compareSides, type Side } from './agree.js';

type Given = Readonly<Record<string, readonly (readonly [step: number, value: number])[]>>;

const side = (metrics: Given, weights: Readonly<Record<number, string>> = {}, isRunning = false): Side => ({
  metrics: new Map(
    Object.entries(metrics).map(([name, points]) => [
      name,
      { steps: points.map(([step]) => step), values: points.map(([, value]) => value) },
    ]),
  ),
  weights: new Map(
    Object.entries(weights).map(([step, sha256]) => [`checkpoints/${step}`, { step: Number(step), sha256 }]),
  ),
  isRunning,
});
const parent: Given = { a: [[1, 9], [2, 0.5], [3, 0.25], [4, 1]], b: [[3, Number.NaN]], 'time/all': [[3, 7]], 'energy/joules': [[3, 5]] }; // prettier-ignore

describe('compareSides', () => {
  it('counts what is equal after the fork, without what the clock says', () => {
    const twin = side({ a: [[2, 0.5], [3, 0.25]], b: [[3, Number.NaN]], 'time/all': [[3, 8]], 'energy/joules': [[3, 6]] }, { 3: 'x' }); // prettier-ignore
    expect(compareSides(side(parent, { 1: 'w', 3: 'x' }), twin, 1)).toEqual({
      upTo: 3,
      values: 3,
      files: 1,
      difference: null,
    });
  });

  it('names the first step and metric that differ, even by the last bit', () => {
    const off = 0.25 + 2 ** -54;
    const twin = side({ a: [[2, 0.5], [3, off], [4, 2]], b: [[3, Number.NaN]] }); // prettier-ignore
    expect(compareSides(side(parent), twin, 1)).toMatchObject({
      upTo: 2,
      difference: { step: 3, at: 'a', parent: 0.25, twin: off },
    });
  });

  it('takes a value that only one of them has for a difference, unless its step may be under way', () => {
    const twin = { a: parent['a'] ?? [] };
    const difference = { step: 3, at: 'b', parent: null, twin: null };
    expect(compareSides(side(parent), side(twin), 1).difference).toEqual(difference);
    const cut = { a: (parent['a'] ?? []).slice(0, 3) };
    expect(compareSides(side(parent), side(cut, {}, true), 1)).toMatchObject({ upTo: 3, difference: null });
  });

  it('finds weights that differ, and ignores checkpoints that only one of them has', () => {
    const twin = side({ a: parent['a'] ?? [], b: [[3, Number.NaN]] }, { 3: 'y', 4: 'z' });
    expect(compareSides(side(parent, { 3: 'x' }), twin, 1)).toMatchObject({
      files: 0,
      difference: { step: 3, at: 'checkpoints/3' },
    });
  });

  it('says nothing before both have a step after the fork', () => {
    expect(compareSides(side(parent), side({}), 1)).toMatchObject({ upTo: null, difference: null });
    expect(compareSides(side({ a: [[1, 1]] }), side(parent), 1)).toMatchObject({ upTo: null });
  });
});
