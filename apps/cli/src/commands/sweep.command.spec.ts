import { expect, it } from 'vitest';
import type { SweepRecord, SweepRunState } from '../sweep/sweep-runs.js';
import { endLines } from './sweep.command.js';

const record = (name: string, state: SweepRunState, message?: string): SweepRecord => ({
  name,
  variant: 'a',
  seed: 1,
  config: 'a.yaml',
  overrides: [],
  state,
  ...(message === undefined ? {} : { message }),
});

it('says what stopped, and counts apart what had not begun', () => {
  const records = [
    record('a', 'finished'),
    record('b', 'stopped', 'interrupted at step 0'),
    record('c', 'waiting'),
    record('d', 'waiting'),
  ];
  const counts = { finished: 1, stopped: 3, failed: 0 };
  expect(endLines(records, counts, false)).toEqual([
    'b: stopped: interrupted at step 0',
    '1 ended, 1 stopped, 2 not begun, 0 failed',
  ]);
  expect(endLines(records, counts, true).at(-1)).toBe('1 ended, 1 stopped, 2 still on the server, 0 failed');
});
