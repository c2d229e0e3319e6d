import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { limitThreads } from './training-job.js';

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'espalier-job-'));
  writeFileSync(join(folder, 'plain.yaml'), 'steps: 2\n');
  writeFileSync(join(folder, 'two.yaml'), 'device: { threads: 2 }\n');
});
afterAll(() => rmSync(folder, { recursive: true }));

const limit = (file: string, overrides: readonly string[], most: number | undefined): string[] =>
  limitThreads({ config: join(folder, file), overrides }, most);

describe('limitThreads', () => {
  it('shares out the cores where a run names no number', () => {
    expect(limit('plain.yaml', [], 4)).toEqual(['device.threads=4']);
    expect(limit('plain.yaml', ['device.threads=8'], undefined)).toEqual([]);
  });

  it('leaves a smaller number of the configuration or the command line', () => {
    expect(limit('two.yaml', [], 4)).toEqual([]);
    expect(limit('two.yaml', [], 2)).toEqual([]);
    expect(limit('two.yaml', ['device.threads=1'], 2)).toEqual([]);
    expect(limit('plain.yaml', ['device.threads=3'], 4)).toEqual([]);
  });

  it('lowers a larger one', () => {
    expect(limit('two.yaml', [], 1)).toEqual(['device.threads=1']);
    expect(limit('two.yaml', ['device.threads=6'], 4)).toEqual(['device.threads=4']);
  });
});
