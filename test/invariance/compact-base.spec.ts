/** @file What a trained model loses when its weights are held in fewer bits. */
import { fileURLToPath } from 'node:url';
import type { PolicyEngine } from '@espalier/contracts';
import { createEmbeddedEngine } from '@espalier/engine';
import { loadTokenizer } from '@espalier/model';
import type { BaseDtype } from '@espalier/model/adapters';
import { afterAll, beforeAll, expect, it } from 'vitest';

const folder = fileURLToPath(new URL('../../plugins/models/seedling/model', import.meta.url));
const lora = { rank: 2, alpha: 4, rankStabilized: false, targets: 'all-linear', dropout: 0 } as const;
const open = (baseDtype: BaseDtype): Promise<PolicyEngine> =>
  createEmbeddedEngine({ folder, threads: 1, lora: { ...lora, critic: 'head', seed: 1, baseDtype } });

let written: { readonly tokens: Int32Array; readonly positions: Int32Array; readonly temperature: number }[];
let exact: PolicyEngine;

/** Mean log-probability per token of what the model wrote in float32. */
async function meanLogprob({ policy }: PolicyEngine): Promise<number> {
  const all = (await policy.score(written)).flatMap(({ logprobs }) => [...logprobs]);
  return all.reduce((a, b) => a + b, 0) / all.length;
}

beforeAll(async () => {
  exact = await open('float32');
  const prompt = loadTokenizer(folder).encode('<|im_start|>assistant\n<think>');
  const params = { temperature: 1, topP: 1, topK: 0, maxTokens: 120, stopTokens: [], stopSequences: [] };
  const samples = await Promise.all(
    Array.from({ length: 24 }, (_, seed) =>
      exact.policy.sample({ sequence: `${seed}`, tokens: prompt, params, seed }),
    ),
  );
  written = samples.map(({ tokens }) => ({
    tokens: Int32Array.of(...prompt, ...tokens),
    positions: Int32Array.from(tokens, (_, i) => prompt.length + i),
    temperature: 1,
  }));
});
afterAll(() => exact.dispose());

it.each([
  ['bfloat16', 1.0005],
  ['int8', 1.001],
  ['int4', 1.2],
] as const)('has a perplexity in %s at most %d times that in float32', async (baseDtype, most) => {
  const engine = await open(baseDtype);
  const ratio = Math.exp((await meanLogprob(exact)) - (await meanLogprob(engine)));
  await engine.dispose();
  console.log(`perplexity in ${baseDtype}: × ${ratio.toFixed(5)}`);
  expect(ratio).not.toBe(1);
  expect(ratio).toBeLessThan(most);
});
