import { describe, expect, it } from 'vitest';
import type { Cell, Entry } from './result.js';
import { compareEntries, type PlayedCell, summarizeCell } from './summarize.js';

/** One word per state, one letter per episode: 1 succeeded. */
const played = (words: string, column = 'lake'): PlayedCell => ({
  column,
  failed: 0,
  outcomes: words.split(' ').flatMap((word, state) =>
    [...word].map((letter) => ({
      stateSeed: 100 + state,
      success: letter === '1',
      total: Number(letter) * 2,
      formatShare: 0.5,
      sampledTokens: 3,
    })),
  ),
});

const entry = (name: string, kind: Entry['kind'], ...cells: Cell[]): Entry => ({
  name,
  kind,
  trainedOn: [],
  cells,
});

describe('summarizeCell', () => {
  it('gives one episode per state a Wilson interval and no pass@k', () => {
    const cell = summarizeCell(played('1 1 1 1 1 1 1 1 0 0'));
    expect(cell.success).toMatchObject({ value: 0.8, interval: 'wilson' });
    expect(cell.success?.low).toBeCloseTo(0.490162, 5);
    expect(cell.passes).toBeUndefined();
    expect(cell).toMatchObject({ score: { value: 1.6 }, formatShare: 0.5, sampledTokens: 30, episodes: 10 });
  });

  it('resamples states, not their episodes, where a state has several', () => {
    // all four episodes of a state agree: 2 independent results, not 8
    const cell = summarizeCell(played('1111 0000'));
    expect(cell.success).toEqual({ value: 0.5, low: 0, high: 1, interval: 'bootstrap' });
    expect(cell.passes).toEqual([
      { k: 1, any: 0.5, all: 0.5, states: 2 },
      { k: 2, any: 0.5, all: 0.5, states: 2 },
      { k: 4, any: 0.5, all: 0.5, states: 2 },
    ]);
  });

  it('claims no certainty where all episodes of all states agree', () => {
    const { success } = summarizeCell(played('00 00 00 00'));
    expect(success).toMatchObject({ value: 0, low: 0, interval: 'wilson' });
    expect(success?.high).toBeCloseTo(0.4899, 4);
  });

  it('estimates pass@k and pass^k over states by hand', () => {
    // 2 of 4 and 1 of 4: any of 2 is 5/6 and 1/2, all of 2 is 1/6 and 0
    const passes = summarizeCell(played('1100 0001')).passes ?? [];
    expect(passes[1]?.any).toBeCloseTo((5 / 6 + 1 / 2) / 2, 12);
    expect(passes[1]?.all).toBeCloseTo(1 / 12, 12);
  });

  it('counts a state that lost episodes for the k that it has left', () => {
    const passes = summarizeCell(played('1111 000 1')).passes ?? [];
    expect(passes.map(({ k, any, states }) => [k, any, states])).toEqual([
      [1, 2 / 3, 3],
      [2, 0.5, 2],
      [4, 1, 1],
    ]);
  });

  it('has no numbers where nothing was completed or too much failed', () => {
    const empty = { column: 'lake', outcomes: [], failed: 4 };
    expect(summarizeCell({ ...empty, error: 'out of order' }).error).toBe('out of order');
    expect(summarizeCell(empty).error).toBe('no episode was completed');
    expect(summarizeCell(empty).success).toBeUndefined();
  });
});

describe('compareEntries', () => {
  const first = entry('first', 'model', summarizeCell(played('1 1 1 1 1 1 0 0')));
  const second = entry('second', 'model', summarizeCell(played('0 0 0 0 0 0 0 0')));

  it('tests models with each other and with the weak baselines, and corrects for all of it', () => {
    const weak = [
      entry('random', 'baseline', summarizeCell(played('0 0 0 1 0 0 0 0'))),
      entry('oracle', 'baseline', summarizeCell(played('1 1 1 1 1 1 1 1'))),
    ];
    const tests = compareEntries([first, second, ...weak]);
    expect(tests.map((test) => [test.first, test.second])).toEqual([
      ['first', 'second'],
      ['first', 'random'],
      ['second', 'random'],
    ]);
    // 6 won, none lost: 2/64; 5 won: 2/32; 1 lost: 1
    expect(tests.map(({ p }) => p)).toEqual([1 / 32, 1 / 16, 1].map((p) => expect.closeTo(p, 12)));
    expect(tests.map(({ adjusted }) => adjusted)).toEqual(
      [3 / 32, 2 / 16, 1].map((p) => expect.closeTo(p, 12)),
    );
    expect(tests[0]).toMatchObject({ states: 8, method: 'mcnemar-exact', difference: { value: 0.75 } });
  });

  it('tests a probe against its own model only, and nothing without two states in common', () => {
    const probe = { ...entry('second: prompt swap', 'probe', ...first.cells), of: 'second' };
    expect(compareEntries([first, second, probe]).map((test) => [test.first, test.second])).toEqual([
      ['first', 'second'],
      ['second', 'second: prompt swap'],
    ]);
    const elsewhere = entry('second', 'model', summarizeCell(played('1 1', 'arms')));
    const lone = entry('second', 'model', summarizeCell(played('1')));
    expect(compareEntries([first, elsewhere])).toEqual([]);
    expect(compareEntries([first, lone])).toEqual([]);
  });
});
