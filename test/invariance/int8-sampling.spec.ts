import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { removeFolder } from '@espalier/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  lastingRows,
  saveTinyModel,
  type TinyOutcome,
  tinyTrainingSpec,
  trainTiny,
} from '../support/tiny-training.js';

let root: string;
let model: string;
let straight: TinyOutcome;

const specOf = (device: object = {}) =>
  tinyTrainingSpec(model, { steps: 2, device: { sampling: 'int8', threads: 1, ...device } });

beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), 'espalier-int8-'));
  model = saveTinyModel(join(root, 'model'));
  straight = await trainTiny(specOf(), join(root, 'straight'));
}, 120_000);
afterAll(() => removeFolder(root));

describe('a run that samples in int8', () => {
  it('corrects for it, and learns', () => {
    const rows = lastingRows(straight.events).filter(({ values }) => 'policy/gradient_norm' in values);
    expect(rows).toHaveLength(2);
    for (const { values } of rows) {
      expect(values['policy/gradient_norm']).toBeGreaterThan(0);
      // float32 sampling is below 1e-5
      expect(values['policy/logprob_gap_max']).toBeGreaterThan(1e-5);
      expect(values['sampler/kl_k3']).toBeGreaterThan(0);
      expect(values['sampler/kl_k3']).toBeLessThan(1e-3);
      expect(values['sampler/clipped_share']).toBe(0);
    }
    // over tokens of the sampler the mean of trainer / sampler probability is 1
    expect(rows[0]?.values['sampler/weight_mean']).toBeCloseTo(1, 1);
    expect(rows[0]?.values['sampler/weight_mean']).not.toBe(1);
  });

  it('is bit for bit the same when it stops after a step and resumes, with two threads', async () => {
    const folder = join(root, 'halves');
    const first = await trainTiny(specOf({ threads: 2 }), folder, { stopAtStep: 1 });
    const second = await trainTiny(specOf({ threads: 2 }), folder, { resume: true });
    expect(second.hashes).toEqual(straight.hashes);
    expect(lastingRows([...first.events, ...second.events])).toEqual(lastingRows(straight.events));
  }, 120_000);
});
