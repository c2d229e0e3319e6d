import { expect, test } from 'vitest';
import type { EntryResult, WarmStarted } from '../collect/result.js';
import type { Matrix } from '../matrix.js';
import { renderReadme } from './readme.js';

const models = [
  { name: 'raw', title: 'raw model', script: 'fetch.mjs' },
  { name: 'taught', title: 'taught model', from: 'raw', warmStart: 'teach.yaml', set: [] },
];

/** The table of models on a page of one entry. */
function modelRows(model: string | undefined, warmStart?: WarmStarted): string[] {
  const entry = { name: 'a', title: 'A', config: 'a.yaml', set: [], seeds: 1, minutes: 9, samples: false };
  const chosen = model === undefined ? entry : { ...entry, model };
  const matrix: Matrix = { title: 'Results', models, entries: [chosen], pairs: [], file: 'm.yaml' };
  const seed = {
    seed: 1,
    iterations: 8,
    wallMinutes: 6,
    minutes: 5,
    sampledTokens: 1e6,
    trainedTokens: 2e6,
    start: { step: 0, minutes: 0, success: 0.25, low: 0.125, high: 0.5, formatValid: 0.375 },
    end: { step: 8, minutes: 5, success: 0.75, low: 0.5, high: 0.875, formatValid: 1 },
    difference: { difference: 0.5, low: 0.25, high: 0.75, gained: 4, lost: 0 },
  };
  const result = { ...entry, seeds: [seed], seedsAsked: 1, budgetMinutes: 9, warmStart } as unknown;
  const lines = renderReadme(matrix, [result as EntryResult]).split('\n');
  const head = lines.indexOf('| model | success | valid format |');
  return head < 0 ? [] : lines.slice(head + 2, lines.indexOf('', head));
}

const after = '| seed 1 after 8 iterations | 75.0 % [50.0, 87.5] | 100.0 % |';

test('a model that is trained without a warm start is shown before and after, with its format', () => {
  expect(modelRows('raw')).toEqual(['| raw model | 25.0 % [12.5, 50.0] | 37.5 % |', after]);
});

test('one with a warm start is shown before that as well', () => {
  const before = { success: 0, low: 0, high: 0.125, formatValid: 0.125 };
  expect(modelRows('taught', { models: ['raw model', 'taught model'], minutes: 3, before })).toEqual([
    '| raw model | 0.0 % [0.0, 12.5] | 12.5 % |',
    '| taught model (3.0 minutes) | 25.0 % [12.5, 50.0] | 37.5 % |',
    after,
  ]);
});

test('an entry names the code of each seed, and what a machine must have', () => {
  const commit = '0123456789abcdef0123456789abcdef01234567';
  const pageOf = (...revisions: (string | undefined)[]): string => {
    const entry = { name: 'a', title: 'A', config: 'a.yaml', set: [], minutes: 9, samples: false };
    const measured = { step: 0, minutes: 0, success: 0.25, low: 0.125, high: 0.5 };
    const difference = { difference: 0.5, low: 0.25, high: 0.75, gained: 4, lost: 0 };
    const costs = { iterations: 8, wallMinutes: 6, minutes: 5, sampledTokens: 1, trainedTokens: 1 };
    const seeds = revisions.map((revision, i) => ({
      seed: i + 1,
      revision,
      ...costs,
      start: measured,
      end: measured,
      difference,
    }));
    const command = 'npm run results';
    const result = {
      ...entry,
      command,
      machine: 'M',
      threads: 1,
      note: '',
      seeds,
      seedsAsked: 1,
      budgetMinutes: 9,
    };
    const entries = [{ ...entry, seeds: 1, needs: 'a `library`' }];
    const matrix = { title: 'Results', models: [], entries, pairs: [], file: 'm' };
    return renderReadme(matrix, [result as unknown as EntryResult]);
  };
  expect(pageOf(commit, commit)).toContain('M, 1 thread. Code: 01234567.');
  expect(pageOf(commit)).toContain('reproduce: `npm run results`, which needs a `library`.');
  expect(pageOf(commit, `${commit}-changed`, undefined)).toContain(
    'Code: 01234567, 01234567 with changes, not recorded.',
  );
});

test('one that the matrix does not make has no table of its own', () => {
  expect(modelRows(undefined)).toEqual([]);
});
