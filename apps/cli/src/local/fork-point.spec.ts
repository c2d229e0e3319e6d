import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { encodeCheckedLine } from '@espalier/files';
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
  expect(() => findForkPoint(`${folder}@1`)).toThrow(/the run has no checkpoint of step 1; it has 3, 12;/);
});

it('is where a fork stands that has no metrics yet', () => {
  expect(lastStep(folder)).toBe(12);
  writeFileSync(
    join(folder, 'metrics.jsonl'),
    encodeCheckedLine({ step: 14, time: 0, attempt: 1, values: {} }),
  );
  expect(lastStep(folder)).toBe(14);
});
