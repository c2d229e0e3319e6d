import { expect, test } from 'vitest';
import type { EntryResult, SeedResult } from '../collect/result.js';
import { keepReported } from './keep-reported.js';

const seedOf = (seed: number, more = ''): SeedResult =>
  ({ seed, command: `npm run cli -- train a.yaml --set seed=${seed}${more}` }) as SeedResult;

const entryOf = (seeds: readonly SeedResult[], given: Partial<EntryResult> = {}): EntryResult =>
  ({ name: 'a', machine: 'new', threads: 1, note: '', seedsAsked: 3, seeds, ...given }) as EntryResult;

test('seeds whose folders are gone stay in the report', () => {
  const reported = entryOf([seedOf(1), seedOf(3)], { machine: 'old' });
  const { seeds, machine } = keepReported(entryOf([seedOf(2)]), reported);
  expect(seeds.map(({ seed }) => seed)).toEqual([1, 2, 3]);
  expect(machine).toBe('old and new');
  // an entry is reported after each of its seeds
  expect(keepReported(entryOf([seedOf(2)]), entryOf([seedOf(1)], { machine })).machine).toBe('old and new');
});

test('a seed that was trained again replaces the reported one', () => {
  const again = { ...seedOf(1), iterations: 7 };
  expect(keepReported(entryOf([again]), entryOf([seedOf(1)])).seeds).toEqual([again]);
});

test.each<[string, EntryResult]>([
  ['other settings', entryOf([seedOf(1, ' --set steps=9')])],
  ['another number of threads', entryOf([seedOf(1)], { threads: 2 })],
  ['more seeds than are asked for now', entryOf([seedOf(4)])],
])('reported seeds with %s are dropped', (_what, reported) => {
  expect(keepReported(entryOf([seedOf(2)]), reported).seeds.map(({ seed }) => seed)).toEqual([2]);
});

test('an entry that was never reported stays as it is', () => {
  const collected = entryOf([seedOf(2)]);
  expect(keepReported(collected, undefined)).toBe(collected);
});
