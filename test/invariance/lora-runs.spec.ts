/** @file Runs with LoRA: the base is not touched, and stopping or threads change no bit. */
import { mkdtempSync, readdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import grpo from '@espalier/algorithm-grpo';
import ppo from '@espalier/algorithm-ppo';
import starpoS from '@espalier/algorithm-starpo-s';
import { createEmbeddedEngine } from '@espalier/engine';
import { hashFile } from '@espalier/files';
import { loadModelFolder } from '@espalier/model';
import { loadAdapter } from '@espalier/model/adapters';
import { convertModelFolder } from '@espalier/model/conversion';
import { openEngine } from '@espalier/trainer';
import { removeFolder } from '@espalier/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isLong } from '../support/long.js';
import {
  lastingRows,
  saveTinyModel,
  type TinyOutcome,
  tinyTrainingSpec,
  trainTiny,
} from '../support/tiny-training.js';

let root: string;
let model: string;
let baseHash: string;
let straight: TinyOutcome;
const lora = { rank: 4, alpha: 16 };
const specOf = (change: Record<string, unknown> = {}) => tinyTrainingSpec(model, { lora, ...change });
const checkpointOf = ({ folder }: TinyOutcome): string => join(folder, 'checkpoints', 'step-000004');

beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), 'espalier-lora-'));
  model = saveTinyModel(join(root, 'model'));
  baseHash = hashFile(join(model, 'model.safetensors'));
  straight = await trainTiny(specOf(), join(root, 'straight'));
}, 120_000);
afterAll(() => removeFolder(root));

/** What each iteration reports, with the checks that hold for every algorithm. */
function expectLearning(outcome: TinyOutcome): readonly Record<string, number>[] {
  const rows = lastingRows(outcome.events)
    .map(({ values }) => values)
    .filter((values) => 'policy/gradient_norm' in values);
  expect(rows.length).toBeGreaterThan(0);
  for (const values of rows) {
    expect(values['policy/gradient_norm']).toBeGreaterThan(0);
    expect(values['policy/logprob_gap_max']).toBeLessThan(1e-5);
  }
  expect(hashFile(join(model, 'model.safetensors'))).toBe(baseHash);
  return rows;
}

const weightFilesOf = (at: string): string[] => {
  const files = readdirSync(at).filter((name) => name.endsWith('.safetensors'));
  expect(files.length).toBeGreaterThan(1);
  return files;
};

describe('a run with LoRA that its monitor rolls back', () => {
  it('has the adapters and moments of the healthy checkpoint again, byte for byte, and learns on from them', async () => {
    const monitor = {
      patience: 1,
      rules: { 'update-drift': { warning: 0, collapsed: null } },
      maxRollBacks: 1,
      onWarning: { action: 'rollBack', change: { 'update.epochs': { to: 1 } } },
    };
    // only a second epoch drifts
    const spec = specOf({ steps: 3, update: { epochs: 2 }, checkpoint: { every: 1, keep: 9 }, monitor });
    const { events, folder } = await trainTiny(spec, join(root, 'rolled-back'));
    const [done, ...others] = events.flatMap((event) =>
      event.kind === 'monitor' && event.restored !== null ? [event] : [],
    );
    expect(others).toEqual([]);
    expect(done).toMatchObject({
      step: 1,
      restored: 0,
      changes: [{ path: 'update.epochs', from: 2, to: 1 }],
    });
    const at = (step: number, path: string): string =>
      hashFile(join(folder, 'checkpoints', `step-00000${step}`, path));
    for (const part of ['policy', 'critic'])
      for (const file of weightFilesOf(join(folder, 'checkpoints', 'step-000000', part))) {
        expect([part, file, at(1, `${part}/${file}`)]).toEqual([part, file, at(0, `${part}/${file}`)]);
        expect(at(2, `${part}/${file}`)).not.toBe(at(0, `${part}/${file}`));
      }
    expect(at(1, 'probes.json')).toBe(at(0, 'probes.json'));
    expect(hashFile(join(model, 'model.safetensors'))).toBe(baseHash);
  }, 60_000);
});

describe('a run with LoRA', () => {
  it('trains policy and critic with PPO and keeps the base as it was', () => {
    const rows = expectLearning(straight);
    for (const values of rows) expect(values['critic/gradient_norm']).toBeGreaterThan(0);
    expect(rows[0]?.['policy/kl_reference']).toBeLessThan(rows.at(-1)?.['policy/kl_reference'] ?? 0);
  });

  it('saves adapters, their moments and what names the base, and no weight of it', () => {
    const policy = join(checkpointOf(straight), 'policy');
    expect(readdirSync(policy).filter((name) => /safetensors|config\.json/.test(name))).toEqual([
      'adapter_config.json',
      'adapter_model.safetensors',
      'config.json',
      'generation_config.json',
      'optimizer.safetensors',
      'tokenizer_config.json',
    ]);
    const { config, base, layers } = loadAdapter(policy);
    expect(config).toEqual({ ...lora, rankStabilized: false, dropout: 0, targets: 'all-linear' });
    expect(base).toMatchObject({ name: model, sha256: expect.stringMatching(/^[0-9a-f]{64}$/) as string });
    expect(layers.size).toBe(2 * 7);
    for (const { b } of layers.values()) expect(b.data.some((x) => x !== 0)).toBe(true);
  });

  it('can be opened as a model: the base with the adapters merged', async () => {
    const policy = join(checkpointOf(straight), 'policy');
    expect(() => loadModelFolder(policy)).toThrow('it is an adapter, and its base is not given');
    const merged = loadModelFolder(policy, model).weights;
    const { weights } = loadModelFolder(model);
    const isSame = (name: string) => merged.get(name)?.data.every((x, i) => x === weights.get(name)?.data[i]);
    const same = [...weights.keys()].filter(isSame);
    expect(same.length).toBe(weights.size - 2 * 7);
    expect(same.every((name) => /norm|embed/.test(name))).toBe(true);
    const exported = join(root, 'exported');
    await convertModelFolder(policy, exported, { dtype: 'float32', base: model });
    expect(loadModelFolder(exported).weights).toEqual(merged);
    const engine = await createEmbeddedEngine({ folder: policy, base: model, threads: 1 });
    const tokens = Int32Array.from([5, 9, 60, 61, 62]);
    const [score] = await engine.policy.score([{ tokens, positions: Int32Array.of(1, 2, 3, 4) }]);
    await engine.dispose();
    const adapted = await createEmbeddedEngine({
      folder: model,
      threads: 1,
      lora: { ...loadAdapter(policy).config, critic: 'head', seed: 0 },
    });
    await adapted.policy.load(policy, { optimizer: true });
    const [expected] = await adapted.policy.score([{ tokens, positions: Int32Array.of(1, 2, 3, 4) }]);
    await adapted.dispose();
    expected?.logprobs.forEach((x, i) => expect(score?.logprobs[i]).toBeCloseTo(x, 5));
  });

  it('loads no adapter that changes more layers than it trains', async () => {
    const engine = await createEmbeddedEngine({
      folder: model,
      threads: 1,
      lora: {
        ...loadAdapter(join(checkpointOf(straight), 'policy')).config,
        targets: ['q_proj'],
        critic: 'head',
        seed: 0,
      },
    });
    const loading = engine.policy.load(join(checkpointOf(straight), 'policy'), { optimizer: false });
    await expect(loading).rejects.toMatchObject({
      code: 'model.adapter_mismatch',
      message: expect.stringMatching(/it has "\S+", which is not trained here; set lora.targets/) as string,
    });
    await engine.dispose();
  });

  it('continues the adapters of a checkpoint, with a higher rank too, and stands on their base', async () => {
    const policy = join(checkpointOf(straight), 'policy');
    const given = { path: policy, base: { path: model } };
    for (const rank of isLong ? [4, 8] : [8]) {
      const spec = specOf({ model: given, lora: { rank }, steps: 2 });
      const engine = await openEngine(policy, spec, model, spec);
      const trained = await openEngine(policy, spec, model);
      const request = [{ tokens: Int32Array.from([5, 9, 60, 61]), positions: Int32Array.of(1, 2, 3) }];
      const [[now], [before]] = [await engine.policy.score(request), await trained.policy.score(request)];
      now?.logprobs.forEach((x, i) => expect(x).toBeCloseTo(before?.logprobs[i] ?? NaN, 5));
      const [reference] = await (await engine.openReference()).score(request);
      expect(reference).toEqual(now);
      await Promise.all([engine.dispose(), trained.dispose()]);
      const outcome = await trainTiny(spec, join(root, `continued-${rank}`));
      expectLearning(outcome);
      const saved = loadAdapter(join(outcome.folder, 'checkpoints/step-000002/policy'));
      expect(saved.base).toEqual(loadAdapter(policy).base);
      expect(saved.config.rank).toBe(rank);
    }
    for (const change of [{ rank: 2 }, { rank: 4, targets: ['q_proj'] }])
      await expect(
        trainTiny(specOf({ model: given, lora: change }), join(root, 'refused')),
      ).rejects.toMatchObject({ code: 'model.adapter_mismatch' });
  }, 120_000);

  it('is bit for bit the same when it stops after two steps and resumes', async () => {
    const folder = join(root, 'halves');
    const first = await trainTiny(specOf(), folder, { stopAtStep: 2 });
    const second = await trainTiny(specOf(), folder, { resume: true });
    expect(second.hashes).toEqual(straight.hashes);
    expect(lastingRows([...first.events, ...second.events])).toEqual(lastingRows(straight.events));
  }, 120_000);

  it('has the same bits with dropout when it stops and resumes, and other bits than without', async () => {
    const dropped = { lora: { ...lora, dropout: 0.3 }, steps: 2 };
    const whole = await trainTiny(specOf(dropped), join(root, 'dropout'));
    const folder = join(root, 'dropout-halves');
    await trainTiny(specOf(dropped), folder, { stopAtStep: 1 });
    const second = await trainTiny(specOf(dropped), folder, { resume: true });
    expect(second.hashes).toEqual(whole.hashes);
    const normOf = ({ events }: TinyOutcome) =>
      lastingRows(events).flatMap(({ values }) => values['policy/gradient_norm'] ?? [])[0];
    expect(normOf(whole)).toBeGreaterThan(0);
    expect(normOf(whole)).not.toBe(normOf(straight));
    expect(lastingRows(whole.events).some(({ values }) => 'policy/logprob_gap_max' in values)).toBe(false);
    const policy = join(whole.folder, 'checkpoints/step-000002/policy');
    expect(loadAdapter(policy).config.dropout).toBe(0.3);
    // nothing is sampled or validated with dropout: until the first update, both runs are one
    const begun = ({ events }: TinyOutcome) =>
      events.flatMap((event) =>
        event.kind === 'trajectory' && event.step <= 1 ? [event.trajectory.tokens] : [],
      );
    expect(begun(whole).length).toBeGreaterThan(0);
    expect(begun(whole)).toEqual(begun(straight));
  }, 120_000);

  it('is bit for bit the same with two threads', async () => {
    const two = await trainTiny(specOf({ device: { threads: 2 } }), join(root, 'threads'));
    expect(two.hashes).toEqual(straight.hashes);
    expect(lastingRows(two.events)).toEqual(lastingRows(straight.events));
  }, 120_000);

  it.each(isLong ? (['head', 'model'] as const) : (['model'] as const))(
    'trains a critic of the kind %s',
    async (critic) => {
      const outcome = await trainTiny(specOf({ lora: { ...lora, critic }, steps: 2 }), join(root, critic));
      for (const values of expectLearning(outcome)) expect(values['critic/gradient_norm']).toBeGreaterThan(0);
      const saved = outcome.events.at(-1);
      expect(saved).toBeDefined();
    },
    120_000,
  );

  it.each([
    ['grpo', grpo.params.parse({ klCoefficient: 0.05 })],
    ['starpo-s', starpoS.params.parse({})],
  ] as const)(
    'trains with %s',
    async (use, params) => {
      const algorithm = { use, ...params };
      const rollout = { promptsPerStep: 4, groupSize: 4, maxResponseTokens: 12 };
      const update = { epochs: 1, miniBatches: 1 };
      const rsLora = { ...lora, rankStabilized: true, targets: ['q_proj', 'v_proj'] };
      const spec = specOf({ algorithm, rollout, update, lora: rsLora, steps: 3 });
      expectLearning(await trainTiny(spec, join(root, use)));
    },
    120_000,
  );

  it('refuses to resume when its base has changed', async () => {
    const own = saveTinyModel(join(root, 'other'));
    const spec = tinyTrainingSpec(own, { lora, algorithm: { use: 'ppo', ...ppo.params.parse({}) } });
    const folder = join(root, 'changed');
    await trainTiny(spec, folder, { stopAtStep: 2 });
    writeFileSync(join(own, 'config.json'), JSON.stringify({ ...loadModelFolder(own).config.json, x: 1 }));
    await expect(trainTiny(spec, folder, { resume: true })).rejects.toMatchObject({
      code: 'trainer.resume_mismatch',
      message: expect.stringContaining('frozen weights are read from it') as string,
    });
  }, 120_000);
});
