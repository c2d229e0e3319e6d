import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { describeEnding } from './describe-ending.js';

let folder: string;
let logFile: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'ending-'));
  logFile = join(folder, 'log');
  writeFileSync(logFile, 'step 21  success 0.0 %\n{"saved":"/srv/data/runs/x"}\n');
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const describeExit = (code: number | null, lastWords: string, signal: string | null = null) =>
  describeEnding({ ending: { code, signal }, lastWords, logFile, unstored: undefined }, undefined).message;

describe('why a process ended', () => {
  it('is what the training said, and nothing of its log, where it said why', () => {
    expect(describeExit(5, 'no group has differing rewards any more')).toBe(
      'no group has differing rewards any more',
    );
  });

  it('is the end of its log where it did not say', () => {
    expect(describeExit(5, '')).toMatch(/^ended with exit code 5\nstep 21 .*\n\{"saved"/);
    expect(describeExit(null, '', 'SIGSEGV')).toMatch(/^ended by SIGSEGV\nstep 21/);
  });

  it('is nothing for an end as wished', () => {
    expect([describeExit(0, ''), describeExit(75, 'interrupted')]).toEqual([
      '',
      'ended with exit code 75\ninterrupted',
    ]);
  });
});
