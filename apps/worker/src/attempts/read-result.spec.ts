import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Assignment } from '@espalier/protocol';
import { removeFolder } from '@espalier/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readResult } from './read-result.js';

let root = '';
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'espalier-result-'));
});
afterEach(() => removeFolder(root));

const path = 'checkpoints/step-000004';
const assignment = { kind: 'evaluate', evaluate: { path } } as Assignment;

function read(printed: unknown): ReturnType<typeof readResult> {
  const resultFile = join(root, 'result.json');
  writeFileSync(resultFile, JSON.stringify(printed));
  return readResult({ resultFile, assignment });
}

describe('the result of an evaluation', () => {
  const outcomes = (count: number) => Array.from({ length: count }, (_, stateSeed) => ({ stateSeed }));

  it('has its episodes one by one up to 1000, and of more the shares', () => {
    const few = { episodes: 1000, successRate: 0.5, outcomes: outcomes(1000) };
    expect(read({ ...few, model: '/srv/worker/attempts/a/model/x' })).toEqual({
      result: { ...few, model: path },
    });
    const many = { episodes: 1001, successRate: 0.5, outcomes: outcomes(1001) };
    expect(read(many)).toEqual({ result: { episodes: 1001, successRate: 0.5, model: path } });
  });

  it('is none where an error was printed, or half a line', () => {
    expect(read({ error: { code: 'a.b', message: 'c' } })).toEqual({ refusal: 'error a.b: c' });
    writeFileSync(join(root, 'torn.json'), '{"episodes": 1');
    const torn = { resultFile: join(root, 'torn.json'), assignment: { kind: 'evaluate' } as Assignment };
    expect(readResult(torn)).toEqual({});
  });
});
