import { expect, it } from 'vitest';
import type { Entry, TableResult } from './result.js';
import { type PlayedCell, summarizeCell } from './summarize.js';
import { tableLines } from './table-lines.js';

/** One word per state, one letter per episode: 1 succeeded. */
function entry(name: string, words: string): Entry {
  const outcomes: PlayedCell['outcomes'] = words.split(' ').flatMap((word, stateSeed) =>
    [...word].map((letter) => ({
      stateSeed,
      success: letter === '1',
      total: Number(letter),
      formatShare: 1,
      sampledTokens: 3,
    })),
  );
  return {
    name,
    kind: 'model',
    trainedOn: [],
    cells: [summarizeCell({ column: 'lake', failed: 0, outcomes })],
  };
}

it('writes pass@k of every model under the same k, also where episodes were lost', () => {
  const entries = [entry('whole', '1100 1111'), entry('some', '110 1111'), entry('all', '110 111')];
  const lines = tableLines({
    columns: [{ label: 'lake', states: 2 }],
    entries,
    tests: [],
    draws: 4,
    split: 'test',
  } as unknown as TableResult);
  const at = lines.findIndex((line) => line.startsWith('pass@k'));
  expect(lines.slice(at, at + 5)).toEqual([
    'pass@k / pass^k for k = 2, 3, 4: at least one, and all, of k episodes succeed',
    '         lake',
    '  whole  91.7 / 58.3, –, 100.0 / 50.0',
    '  some   100.0 / 66.7, –, 100.0 / 100.0 (1 state)',
    '  all    100.0 / 66.7, 100.0 / 50.0, –',
  ]);
});
