import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { warmStartSpecSchema } from '@espalier/contracts';
import { loadTokenizer } from '@espalier/model';
import type { PluginLookup } from '@espalier/trainer';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { corridor } from '../../trainer/src/testing/corridor.js';
import { expectSteps } from './expected-steps.js';
import { warmStart } from './warm-start.js';

const plugins = { get: () => corridor } as unknown as PluginLookup;
const spec = warmStartSpecSchema.parse({
  model: {
    hiddenSize: 16,
    layers: 1,
    heads: 2,
    keyValueHeads: 1,
    intermediateSize: 24,
    vocabularySize: 340,
    contextLength: 256,
  },
  demonstrations: [{ environment: { use: 'corridor' }, rollout: { maxResponseTokens: 16 }, noise: 0.1 }],
  tokens: 6000,
  batchTokens: 1000,
  microBatchTokens: 600,
  validation: { everyTokens: 1e6, episodes: 1, finalEpisodes: 1 },
  device: { threads: 1 },
});
const folder = mkdtempSync(join(tmpdir(), 'expected-steps-'));
const out = join(folder, 'model');
let taken = 0;
beforeAll(async () => {
  await warmStart(spec, { plugins, out }, (event) => {
    if (event.kind === 'step') taken = event.step;
  });
});
afterAll(() => rmSync(folder, { recursive: true }));

it('expects as many steps as a warm start takes, with the tokens of each', async () => {
  const { sampled, steps } = await expectSteps(spec, plugins, {
    tokenizer: loadTokenizer(out),
    contextLength: 256,
  });
  expect(steps).toBe(taken);
  expect(sampled).toHaveLength(4);
  for (const sequences of sampled) {
    const count = sequences.reduce((sum, { tokens }) => sum + tokens.length, 0);
    expect(count).toBeGreaterThanOrEqual(1000);
    expect(sequences.every(({ positions }) => positions.length > 0)).toBe(true);
  }
});
