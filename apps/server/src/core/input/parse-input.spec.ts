import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { importRequest } from '../runs/import/import-messages.js';
import { runRequest } from '../runs/run-request.js';
import { ratingSetRequest } from '../verdicts/rating-request.js';
import { parseInput } from './parse-input.js';

describe('null in an input', () => {
  it('is a missing value inside mappings and lists of mappings, too', () => {
    const source = { runId: 'run-1', fromStep: 2, toStep: null, split: null };
    const parsed = parseInput(
      ratingSetRequest,
      { kind: 'rubric', sources: [source], rubric: null },
      'make a set',
    );
    const same = { kind: 'rubric', sources: [{ runId: 'run-1', fromStep: 2 }] };
    expect(parsed).toEqual(parseInput(ratingSetRequest, same, 'make a set'));
    const needs = parseInput(runRequest, { needs: { kind: null, count: 2 } }, 'create a run').needs;
    expect(needs).toEqual(parseInput(runRequest, { needs: { count: 2 } }, 'create a run').needs);
  });

  it('stays in JSON, and where it says something', () => {
    const spec = { environment: { use: 'bandit', seed: null }, seed: null };
    expect(parseInput(runRequest, { spec }, 'create a run').spec).toEqual(spec);
    const known = { name: 'a', steps: 1, algorithm: { use: 'grpo' }, environment: { use: 'bandit' } };
    const request = {
      spec: { ...known, model: { folder: null }, more: null },
      hardware: [{ id: 'cpu', kind: 'cpu', name: 'CPU', threads: 2, memoryMb: null }],
    };
    expect(parseInput(importRequest, request, 'import a run')).toMatchObject(request);
  });

  it('is refused where a value is needed, and in a list of values', () => {
    const schema = z.strictObject({
      inner: z.strictObject({ needed: z.string(), list: z.array(z.int()).optional() }),
    });
    const flawOf = (inner: object): string => {
      try {
        parseInput(schema, { inner }, 'test');
        return '';
      } catch (error) {
        return String(error);
      }
    };
    expect(flawOf({ needed: null })).toContain('inner.needed is null');
    expect(flawOf({ needed: 'a', list: [null] })).toContain('inner.list.0 is null');
    expect(flawOf({ needed: 'a', other: null })).toContain('unknown key "other"');
    expect(flawOf({ needed: 'a', list: null })).toBe('');
  });
});
