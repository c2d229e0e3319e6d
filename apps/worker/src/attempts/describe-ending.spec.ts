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

  it('begins with the error that was printed, wherever it stands among what else was', () => {
    const notes = 'update.criticWarmup changes nothing here: grpo has no critic\n'.repeat(20);
    const error = 'error runtime.provider_unavailable: create session on "cuda": no such device; use "cpu"';
    writeFileSync(logFile, `${notes}${error}\nhint  espalier train --help\n`);
    expect(describeExit(3, '')).toBe(
      `${error}\nended with exit code 3\n${notes.trim()}\nhint  espalier train --help`,
    );
  });

  it('has all lines of that error, and of two errors begins with the last', () => {
    const flaws = 'error config.invalid: the spec has 2 flaws\n      steps: is 0\n      seed: is "a"';
    writeFileSync(logFile, `error cli.usage: an older one\nbegin\n${flaws}`);
    expect(describeExit(3, '')).toBe(
      `${flaws}\nended with exit code 3\nerror cli.usage: an older one\nbegin`,
    );
  });

  it('begins with the error that was given in place of a result', () => {
    writeFileSync(logFile, 'loading\n');
    const refusal = 'error model.not_found: open "m": no such folder';
    const facts = { ending: { code: 4, signal: null }, lastWords: '', logFile, unstored: undefined };
    expect(describeEnding({ ...facts, refusal }, undefined).message).toBe(
      `${refusal}\nended with exit code 4\nloading`,
    );
  });

  it('is nothing for an end as wished', () => {
    expect([describeExit(0, ''), describeExit(75, 'interrupted')]).toEqual([
      '',
      'ended with exit code 75\ninterrupted',
    ]);
  });
});
