/** @file Runs with several critics: they differ after training, stopping changes no bit, and one is what it always was. */
import { existsSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import ppo from '@espalier/algorithm-ppo';
import { hashFile } from '@espalier/files';
import { loadSafetensors } from '@espalier/model';
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
const specOf = (options: object, change: Record<string, unknown> = {}) =>
  tinyTrainingSpec(model, { algorithm: { use: 'ppo', ...ppo.params.parse(options) }, ...change });
beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), 'espalier-critics-'));
  model = saveTinyModel(join(root, 'model'));
  straight = await trainTiny(specOf({ critics: 2 }), join(root, 'straight'));
}, 120_000);
afterAll(() => removeFolder(root));

const partOf = ({ folder }: TinyOutcome, part: string, step = 4): string =>
  join(folder, 'checkpoints', `step-00000${step}`, part);
const weightsOf = (outcome: TinyOutcome, part: string) =>
  loadSafetensors(join(partOf(outcome, part), 'model.safetensors')).tensors;

describe('a run with two critics', () => {
  it('trains both, which differ in every trained layer and disagree ever after', () => {
    const rows = lastingRows(straight.events).filter(({ values }) => 'critic/gradient_norm' in values);
    expect(rows).toHaveLength(4);
    for (const { values } of rows) {
      expect(values['critic/gradient_norm']).toBeGreaterThan(0);
      expect(values['critic/ensemble_std']).toBeGreaterThan(0);
    }
    expect(Object.keys(straight.hashes).sort()).toEqual([
      'critic-2/model.safetensors',
      'critic-2/optimizer.safetensors',
      'critic/model.safetensors',
      'critic/optimizer.safetensors',
      'policy/model.safetensors',
      'policy/optimizer.safetensors',
    ]);
    const [first, second] = ['critic', 'critic-2'].map((part) => weightsOf(straight, part));
    for (const [name, { data }] of first!)
      expect([name, second!.get(name)!.data.some((x, i) => x !== data[i])]).toEqual([name, true]);
  });

  it('is bit for bit the same when it stops after two steps and resumes', async () => {
    const folder = join(root, 'halves');
    const first = await trainTiny(specOf({ critics: 2 }), folder, { stopAtStep: 2 });
    const second = await trainTiny(specOf({ critics: 2 }), folder, { resume: true });
    expect(second.hashes).toEqual(straight.hashes);
    expect(lastingRows([...first.events, ...second.events])).toEqual(lastingRows(straight.events));
  }, 120_000);

  it('has another seed for each head, and one critic is what it is without the option', async () => {
    const [unsaid, one, three] = [
      await trainTiny(specOf({}), join(root, 'unsaid')),
      await trainTiny(specOf({ critics: 1 }), join(root, 'one')),
      await trainTiny(specOf({ critics: 3 }, { steps: 2 }), join(root, 'three')),
    ];
    expect(one.hashes).toEqual(unsaid.hashes);
    expect(lastingRows(one.events)).toEqual(lastingRows(unsaid.events));
    expect(existsSync(partOf(one, 'critic-2'))).toBe(false);
    expect(straight.hashes['policy/model.safetensors']).not.toBe(one.hashes['policy/model.safetensors']);
    const files = ['critic', 'critic-2', 'critic-3'].map((part) =>
      hashFile(join(partOf(three, part, 2), 'model.safetensors')),
    );
    expect(new Set(files).size).toBe(3);
  }, 120_000);

  it.each(['adapter', 'head', 'model'] as const)(
    'resumes bit for bit with adapters and critics of the kind %s',
    async (critic) => {
      const spec = (steps: number) =>
        specOf({ critics: 2 }, { lora: { rank: 2, critic }, steps, checkpoint: { every: 1, keep: 4 } });
      const folder = join(root, `halves-${critic}`);
      const whole = await trainTiny(spec(2), join(root, `whole-${critic}`));
      await trainTiny(spec(1), folder);
      const resumed = await trainTiny(spec(2), folder, { resume: true });
      expect(resumed.hashes).toEqual(whole.hashes);
      const [first, second] = ['critic', 'critic-2'].map((part) => whole.hashes[`${part}/model.safetensors`]);
      expect(second).not.toBe(first);
      const rows = lastingRows(whole.events).filter(({ values }) => 'critic/ensemble_std' in values);
      expect(rows).toHaveLength(2);
      for (const { values } of rows) expect(values['critic/ensemble_std']).toBeGreaterThan(0);
    },
    120_000,
  );
});
