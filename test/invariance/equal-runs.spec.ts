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
beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), 'espalier-invariance-'));
  model = saveTinyModel(join(root, 'model'));
  straight = await trainTiny(tinyTrainingSpec(model), join(root, 'straight'));
}, 120_000);
afterAll(() => removeFolder(root));

describe('runs that must be equal', () => {
  it('learns something, so that equality means something', () => {
    const rows = lastingRows(straight.events).filter(({ values }) => 'policy/gradient_norm' in values);
    expect(rows).toHaveLength(4);
    for (const { values } of rows) {
      expect(values['policy/gradient_norm']).toBeGreaterThan(0);
      expect(values['critic/gradient_norm']).toBeGreaterThan(0);
    }
    expect(rows.at(-1)?.values['policy/kl_reference']).toBeGreaterThan(0);
  });

  it('trains on the log-probabilities that were sampled', () => {
    const gaps = lastingRows(straight.events).flatMap(({ values }) => values['policy/logprob_gap_max'] ?? []);
    expect(gaps).toHaveLength(4);
    // float32 sums in another order: sampling decodes token by token, training sees whole sequences
    expect(Math.max(...gaps)).toBeLessThan(1e-5);
  });

  it('is bit for bit the same when it stops after two steps and resumes', async () => {
    const folder = join(root, 'halves');
    const first = await trainTiny(tinyTrainingSpec(model), folder, { stopAtStep: 2 });
    const second = await trainTiny(tinyTrainingSpec(model), folder, { resume: true });
    expect(second.hashes).toEqual(straight.hashes);
    expect(lastingRows([...first.events, ...second.events])).toEqual(lastingRows(straight.events));
  }, 120_000);

  it('is bit for bit the same with two threads', async () => {
    const spec = tinyTrainingSpec(model, { device: { threads: 2 } });
    const twoThreads = await trainTiny(spec, join(root, 'threads'));
    expect(twoThreads.hashes).toEqual(straight.hashes);
    expect(lastingRows(twoThreads.events)).toEqual(lastingRows(straight.events));
  }, 120_000);

  it('differs with another seed', async () => {
    const other = await trainTiny(tinyTrainingSpec(model, { seed: 1 }), join(root, 'seed'));
    expect(other.hashes).not.toEqual(straight.hashes);
  }, 120_000);
});
