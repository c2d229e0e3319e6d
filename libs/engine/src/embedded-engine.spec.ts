import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { initializeWeights, parseModelConfig } from '@espalier/model';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { createEmbeddedEngine } from './embedded-engine.js';
import { engineConformance } from './testing/engine-conformance.js';
import { likelihoodLoss, valueLoss } from './testing/plain-losses.js';
import { tinyShape } from './testing/tiny-shape.js';

/** Gemma 3 has windows that begin in shared prefixes and behind them, and two kinds of positions. */
const configs = {
  llama: parseModelConfig(tinyShape),
  gemma2: parseModelConfig({ ...tinyShape, model_type: 'gemma2', head_dim: 8, sliding_window: 20 }),
  gemma3: parseModelConfig({
    ...tinyShape,
    model_type: 'gemma3_text',
    head_dim: 8,
    layer_types: ['full_attention', 'sliding_attention'],
    sliding_window: 20,
  }),
};

describe.each([
  ['llama', configs.llama, undefined],
  ['llama by the driver native', configs.llama, 'native' as const],
  ['gemma2', configs.gemma2, undefined],
  ['gemma3', configs.gemma3, undefined],
])('embedded engine conforms (%s)', (_, config, driver) => {
  const folders: string[] = [];
  afterAll(() => folders.forEach((folder) => rmSync(folder, { recursive: true })));
  const subject = {
    create: () =>
      createEmbeddedEngine({
        config,
        weights: initializeWeights(config, 5),
        threads: 1,
        ...(driver === undefined ? {} : { driver }),
      }),
    likelihoodLoss,
    valueLoss,
    temporaryFolder: () => {
      const folder = mkdtempSync(join(tmpdir(), 'espalier-'));
      folders.push(folder);
      return folder;
    },
  };
  it('takes as many threads as OMP_NUM_THREADS says, unless it is told a number', async () => {
    const model = { config, weights: initializeWeights(config, 5) };
    vi.stubEnv('OMP_NUM_THREADS', '3');
    const engines = [await createEmbeddedEngine(model), await createEmbeddedEngine({ ...model, threads: 2 })];
    vi.unstubAllEnvs();
    expect(engines.map(({ description }) => description.threads)).toEqual([3, 2]);
    for (const engine of engines) await engine.dispose();
  });
  it('refuses to sample after it was disposed, and ends what was being sampled', async () => {
    const engine = await subject.create();
    const sample = (sequence: string) =>
      engine.policy.sample({
        sequence,
        tokens: Int32Array.of(1, 2),
        seed: 1,
        params: { maxTokens: 50, temperature: 1, topP: 1, topK: 0, stopTokens: [], stopSequences: [] },
      });
    const running = expect(sample('a')).rejects.toMatchObject({ code: 'engine.disposed' });
    await engine.dispose();
    await running;
    await expect(sample('b')).rejects.toMatchObject({ code: 'engine.disposed' });
  });
  for (const { title, run } of engineConformance) it(title, () => run(subject));
});
