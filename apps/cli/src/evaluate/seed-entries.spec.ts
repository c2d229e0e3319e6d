import { describe, expect, it } from 'vitest';
import type { Entry } from './result.js';
import { joinSeeds } from './seed-entries.js';
import { compareEntries, summarizeCell } from './summarize.js';

/** One letter per state: 1 succeeded, – failed to complete. */
const entry = (name: string, letters: string, kind: Entry['kind'] = 'model'): Entry => ({
  name,
  kind,
  trainedOn: ['lake'],
  cells: [
    summarizeCell({
      column: 'lake',
      failed: 0,
      outcomes: [...letters].flatMap((letter, state) =>
        letter === '–'
          ? []
          : [
              {
                stateSeed: state,
                success: letter === '1',
                total: 2 * Number(letter),
                formatShare: 1,
                sampledTokens: 1,
              },
            ],
      ),
    }),
  ],
});
const rows = [
  { name: 'a (seeds 1, 2)', members: ['a-1', 'a-2'] },
  { name: 'b (seeds 1, 2)', members: ['b-1', 'b-2'] },
];

describe('joinSeeds', () => {
  it('gives each state its mean over the seeds, of the states that all of them completed, by hand', () => {
    const entries = [
      entry('a-1', '1110'),
      entry('a-2', '100–'),
      entry('other', '1111'),
      entry('random', '0000', 'baseline'),
    ];
    const joined = joinSeeds(entries, rows.slice(0, 1));
    expect(joined.map(({ name }) => name)).toEqual(['a-1', 'a-2', 'other', 'a (seeds 1, 2)', 'random']);
    const [cell] = joined[3]?.cells ?? [];
    expect(
      cell?.states.map(({ stateSeed, successes, episodes, score }) => [
        stateSeed,
        successes,
        episodes,
        score,
      ]),
    ).toEqual([
      [0, 2, 2, 2],
      [1, 1, 2, 1],
      [2, 1, 2, 1],
    ]);
    expect(cell?.success).toMatchObject({ value: 2 / 3, interval: 'bootstrap' });
    expect(cell).toMatchObject({
      episodes: 6,
      score: { value: 4 / 3 },
      seeds: { lowest: 1 / 3, highest: 3 / 4 },
    });
    // chances of k episodes would be of one model
    expect(cell?.passes).toBeUndefined();
  });

  it('has no numbers where a seed has none', () => {
    const entries = [entry('a-1', '111'), entry('a-2', '–––')];
    expect(joinSeeds(entries, rows.slice(0, 1)).at(-1)?.cells).toEqual([
      expect.objectContaining({ episodes: 0, error: 'one of its seeds was not measured' }),
    ]);
  });

  it('is tested against other settings and the baselines, and not against its own runs', () => {
    const entries = ['a-1 11111111', 'a-2 11111111', 'b-1 00000000', 'b-2 00000001'].map((words) => {
      const [name = '', letters = ''] = words.split(' ');
      return entry(name, letters);
    });
    const tests = compareEntries(joinSeeds([...entries, entry('random', '00000000', 'baseline')], rows));
    const ofSettings = tests.filter(({ first }) => first.includes('seeds'));
    expect(ofSettings.map(({ first, second }) => [first, second])).toEqual([
      ['a (seeds 1, 2)', 'b (seeds 1, 2)'],
      ['a (seeds 1, 2)', 'random'],
      ['b (seeds 1, 2)', 'random'],
    ]);
    // seven states by 1, one by 0.5
    expect(ofSettings[0]?.difference.value).toBeCloseTo(7.5 / 8, 12);
    expect(tests.some(({ second }) => second.includes('a (seeds'))).toBe(false);
  });
});
