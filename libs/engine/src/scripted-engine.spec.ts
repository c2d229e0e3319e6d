import type { LossSpec } from '@espalier/contracts';
import { createStream } from '@espalier/random';
import { describe, expect, it } from 'vitest';
import { createScriptedEngine } from './scripted-engine.js';
import { samplingCases } from './testing/sampling-cases.js';

/** Asks what only weights can answer: which token is the most probable. */
const needsWeights = 'takes the most probable token at temperature 0 and with top-k 1';

const unused: LossSpec = { id: 'unused', params: {}, columns: [], build: undefined };
const vocabularySize = 61;

/** Each token is a function of seed and position, as in a real engine; answers take a moment. */
const create = () =>
  Promise.resolve(
    createScriptedEngine({
      vocabularySize,
      contextLength: 160,
      answer: async ({ request: { seed, tokens } }) => {
        await new Promise((resolve) => setTimeout(resolve, 10));
        return Array.from({ length: 40 }, (_, i) =>
          createStream(seed * 1000 + tokens.length + i).int(vocabularySize),
        );
      },
    }),
  );

describe('scripted engine conforms', () => {
  const subject = { create, likelihoodLoss: unused, valueLoss: unused, temporaryFolder: () => '' };

  it('leaves out one case, which exists', () => {
    expect(samplingCases.filter(({ title }) => title === needsWeights)).toHaveLength(1);
  });

  for (const { title, run } of samplingCases) if (title !== needsWeights) it(title, () => run(subject));
});

describe('createScriptedEngine', () => {
  it('learns nothing and counts versions', async () => {
    const { policy } = await create();
    await policy.optimizerStep({} as Parameters<typeof policy.optimizerStep>[0]);
    expect(policy.version).toBe(1);
    const params = { temperature: 1, topP: 1, topK: 0, maxTokens: 1, stopTokens: [], stopSequences: [] };
    const sampled = await policy.sample({ sequence: 'a', tokens: Int32Array.of(1), seed: 1, params });
    expect(sampled.policyVersion).toBe(1);
  });
});
