/** Sampling with weights that no model has: one engine does it, however many ask at once. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openTiny, tinyBase } from '../testing/tiny-server.js';
import { ModelHost, type SampleCall } from './model-host.js';
import type { ServedBase, ServedModel } from './served-model.js';

const folder = mkdtempSync(join(tmpdir(), 'espalier-tinker-host-'));
/** engines that are open, and the most that were at once */
let [open, most] = [0, 0];

/** The tiny model; its engines are counted. */
const counted: ServedBase = {
  ...tinyBase,
  async open(lora) {
    const engine = await openTiny(lora);
    open += 1;
    most = Math.max(most, open);
    const dispose = async (): Promise<void> => {
      await engine.dispose();
      open -= 1;
    };
    return { ...engine, dispose };
  },
};

let host: ModelHost;
let model: ServedModel;
beforeEach(async () => {
  [open, most] = [0, 0];
  host = new ModelHost({ models: [counted], folder, maxModels: 1, sessionMs: 60_000, orderMs: 60_000 });
  model = await host.createModel(await host.createSession(undefined), 0, counted, { rank: 2, seed: 1 });
});
afterEach(async () => {
  await host.dispose();
  rmSync(folder, { recursive: true });
});

const step = {
  learningRate: 0.05,
  beta1: 0.9,
  beta2: 0.999,
  epsilon: 1e-8,
  weightDecay: 0,
  maxGradientNorm: Infinity,
};

/** Trains the model a step and saves it. */
async function learnAndSave(name: string): Promise<string> {
  const target_tokens = { dtype: 'int64' as const, data: Int32Array.of(7, 8, 9) };
  const data = [{ tokens: Int32Array.of(6, 7, 8), inputs: { target_tokens } }];
  const pass = { modelId: model.id, seqId: 0, data, lossConfig: {}, forwardOnly: false };
  await host.pass(model, { ...pass, lossFn: 'cross_entropy' });
  await model.lock.write(() => model.change(() => model.engine.policy.optimizerStep(step)));
  return host.save(model, 'sampler_weights', name);
}

const call = (from: Partial<SampleCall>, maxTokens = 12): SampleCall => ({
  samplerId: undefined,
  baseModel: undefined,
  modelPath: undefined,
  count: 1,
  tokens: Int32Array.of(4, 5, 6),
  promptLogprobs: false,
  maxTokens,
  seed: 3,
  temperature: 1,
  topK: 0,
  topP: 1,
  stopTokens: [],
  stopSequences: [],
  sequence: undefined,
  sharedPrefix: undefined,
  ...from,
});
const sample = async (from: Partial<SampleCall>, maxTokens?: number) => {
  const { sequences } = await host.sample(call(from, maxTokens), new AbortController().signal);
  return sequences.flatMap(({ tokens, logprobs = [] }) => [...tokens, ...logprobs]);
};

it('holds one engine beside that of the model, whatever weights are sampled at once', async () => {
  for (const name of ['a', 'b', 'c', 'd']) {
    const modelPath = await learnAndSave(name);
    await Promise.all(Array.from({ length: 8 }, () => sample({ modelPath })));
    expect([open, most]).toEqual([2, 2]);
  }
  await host.dispose();
  expect(open).toBe(0);
});

it('lets samples that are under way finish before it changes weights', async () => {
  const sources = [{ baseModel: 'tiny' }, { modelPath: await learnAndSave('a') }];
  const alone = [await sample(sources[0] ?? {}, 100), await sample(sources[1] ?? {}, 100)];
  expect(alone[0]).not.toEqual(alone[1]);
  const turns = [1, 0, 1, 1, 0, 0];
  const together = await Promise.all(turns.map((n) => sample(sources[n] ?? {}, 100)));
  expect(together).toEqual(turns.map((n) => alone[n]));
  expect([open, most]).toEqual([2, 2]);
});

it('closes an engine that cannot load its weights, and tries again when it is asked again', async () => {
  const samplerId = host.createSampler(model.sessionId, { model, isLive: false });
  await learnAndSave('a');
  const [file] = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
    /^snapshots.*safetensors$/.test(name),
  );
  const place = join(folder, file ?? '');
  const kept = readFileSync(place);
  writeFileSync(place, kept.subarray(0, 100));
  await expect(sample({ samplerId })).rejects.toThrow('cut short');
  expect(open).toBe(1);
  writeFileSync(place, kept);
  expect(await sample({ samplerId })).toHaveLength(24);
});
