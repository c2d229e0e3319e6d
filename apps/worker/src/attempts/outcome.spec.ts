import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Assignment } from '@espalier/protocol';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { describeExit, readResult } from './outcome.js';

let folder: string;
let logFile: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'exitStatus-'));
  logFile = join(folder, 'log');
  writeFileSync(logFile, 'step 21  success 0.0 %\n{"saved":"/srv/data/runs/x"}\n');
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const messageOf = (code: number | null, finalMessage: string, signal: string | null = null) =>
  describeExit({ exitStatus: { code, signal }, finalMessage, logFile, unstored: undefined }, undefined)
    .message;

describe('describeExit', () => {
  it('quotes the final message, without the log, if there is one', () => {
    expect(messageOf(5, 'no group has differing rewards any more')).toBe(
      'no group has differing rewards any more',
    );
  });

  it('quotes the end of the log if there is no final message', () => {
    expect(messageOf(5, '')).toMatch(/^ended with exit code 5\nstep 21 .*\n\{"saved"/);
    expect(messageOf(null, '', 'SIGSEGV')).toMatch(/^ended by SIGSEGV\nstep 21/);
  });

  it('starts with the printed error, wherever it is in the log', () => {
    const notes = 'update.criticWarmup changes nothing here: grpo has no critic\n'.repeat(20);
    const error = 'error runtime.provider_unavailable: create session on "cuda": no such device; use "cpu"';
    writeFileSync(logFile, `${notes}${error}\nhint  espalier train --help\n`);
    expect(messageOf(3, '')).toBe(
      `${error}\nended with exit code 3\n${notes.trim()}\nhint  espalier train --help`,
    );
  });

  it('has all lines of that error, and starts with the last of two errors', () => {
    const flaws = 'error config.invalid: the spec has 2 flaws\n      steps: is 0\n      seed: is "a"';
    writeFileSync(logFile, `error cli.usage: an older one\nbegin\n${flaws}`);
    expect(messageOf(3, '')).toBe(`${flaws}\nended with exit code 3\nerror cli.usage: an older one\nbegin`);
  });

  it('starts with the error that was printed instead of a result', () => {
    writeFileSync(logFile, 'loading\n');
    const refusal = 'error model.not_found: open "m": no such folder';
    const report = { exitStatus: { code: 4, signal: null }, finalMessage: '', logFile, unstored: undefined };
    expect(describeExit({ ...report, refusal }, undefined).message).toBe(
      `${refusal}\nended with exit code 4\nloading`,
    );
  });

  it('is empty for an expected end', () => {
    expect([messageOf(0, ''), messageOf(75, 'interrupted')]).toEqual([
      '',
      'ended with exit code 75\ninterrupted',
    ]);
  });
});

const path = 'checkpoints/step-000004';
const assignment = { kind: 'evaluate', evaluate: { path } } as Assignment;

function read(printed: unknown): ReturnType<typeof readResult> {
  const resultFile = join(folder, 'result.json');
  writeFileSync(resultFile, JSON.stringify(printed));
  return readResult({ resultFile, assignment });
}

describe('readResult', () => {
  const outcomes = (count: number) => Array.from({ length: count }, (_, stateSeed) => ({ stateSeed }));

  it('lists up to 1000 episodes, and only the aggregates of more', () => {
    const few = { episodes: 1000, successRate: 0.5, outcomes: outcomes(1000) };
    expect(read({ ...few, model: '/srv/worker/attempts/a/model/x' })).toEqual({
      result: { ...few, model: path },
    });
    const many = { episodes: 1001, successRate: 0.5, outcomes: outcomes(1001) };
    expect(read(many)).toEqual({ result: { episodes: 1001, successRate: 0.5, model: path } });
  });

  it('has no result if an error or half a line was printed', () => {
    expect(read({ error: { code: 'a.b', message: 'c' } })).toEqual({ refusal: 'error a.b: c' });
    writeFileSync(join(folder, 'torn.json'), '{"episodes": 1');
    const torn = { resultFile: join(folder, 'torn.json'), assignment: { kind: 'evaluate' } as Assignment };
    expect(readResult(torn)).toEqual({});
  });
});
