import type { Client } from '@espalier/client';
import { describe, expect, it } from 'vitest';
import { findRun, parseCheckpoint } from './find-run.js';

const runs = [
  { id: 'run-01aaaaaaaa-0000000001', name: 'twin', title: '', state: 'running' },
  { id: 'run-01aaaaaaab-0000000002', name: 'twin', title: '', state: 'finished' },
  { id: 'run-02aaaaaaaa-0000000003', name: '01', title: '', state: 'queued' },
];
const client = {
  runs: {
    async *all() {
      yield* runs;
    },
  },
} as unknown as Client;
const find = (word: string): Promise<string> => findRun(client, word);

describe('findRun', () => {
  it('takes a whole id as it is', async () => {
    expect(await find('run-09zzzzzzzz-zzzzzzzzzz')).toBe('run-09zzzzzzzz-zzzzzzzzzz');
  });

  it('finds one by the beginning of its id, with or without its prefix, and by its name first', async () => {
    expect(await find('run-02')).toBe(runs[2]?.id);
    expect(await find('01aaaaaaab')).toBe(runs[1]?.id);
    expect(await find('01')).toBe(runs[2]?.id);
  });

  it('refuses a word for several, naming them, and one for none', async () => {
    await expect(find('twin')).rejects.toMatchObject({ code: 'cli.ambiguous_run' });
    await expect(find('run-01')).rejects.toThrow(/2 runs match: run-01aaaaaaaa.*twin, running/);
    await expect(find('none')).rejects.toMatchObject({ code: 'cli.run_not_found' });
  });
});

describe('parseCheckpoint', () => {
  it('splits a run from its step', () => {
    expect(parseCheckpoint('a@b@16')).toEqual({ run: 'a@b', step: 16 });
    expect(parseCheckpoint('run-01')).toEqual({ run: 'run-01' });
    expect(() => parseCheckpoint('run@last')).toThrow(/<run>@<step>/);
  });
});
