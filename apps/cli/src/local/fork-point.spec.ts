import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { findForkPoint } from './fork-point.js';
import { lastStep } from './local-runs.js';

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'espalier-fork-point-'));
  for (const step of ['step-000003', 'step-000012']) {
    mkdirSync(join(folder, 'checkpoints', step), { recursive: true });
    writeFileSync(join(folder, 'checkpoints', step, 'manifest.json'), '{}');
  }
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

it('names the steps that can be forked where one is not kept', () => {
  expect(() => findForkPoint(`${folder}@1`)).toThrow(
    /no checkpoint of step 1 in .*; those of 3, 12 are kept;/,
  );
});

it('is where a fork stands that has no metrics yet', () => {
  expect(lastStep(folder, [])).toBe(12);
  expect(lastStep(folder, [{ step: 14, time: 0, attempt: 1, values: {} }])).toBe(14);
});
