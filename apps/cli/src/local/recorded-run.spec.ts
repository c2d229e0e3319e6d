import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { findRecordedSpec } from './recorded-run.js';

let folder = '';
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'espalier-recorded-'))));
afterEach(() => rmSync(folder, { recursive: true }));

const parts = { environment: { use: 'bandit' }, algorithm: { use: 'grpo' }, model: { use: 'seedling' } };

it.each(['environment', 'algorithm', 'model', 'update'])(
  'takes no spec without the section %s for what a run began with',
  (missing) => {
    const spec = { ...parts, update: { microBatchTokens: 512 } };
    const write = (value: object): void => writeFileSync(join(folder, 'spec.json'), JSON.stringify(value));
    write(spec);
    expect(findRecordedSpec(folder)).toEqual(spec);
    write({ ...spec, [missing]: undefined });
    expect(findRecordedSpec(folder)).toBeUndefined();
  },
);
