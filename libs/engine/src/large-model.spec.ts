/** @file The memory that sampling and training of a large model take in turn; the model is small, but counts as large. */
import type { Datum } from '@espalier/contracts';
import { initializeWeights, parseModelConfig } from '@espalier/model';
import { expect, it, vi } from 'vitest';
import { createEmbeddedEngine } from './embedded-engine.js';
import { ReleasableMemory } from './sampler/releasable-memory.js';
import { valueLoss } from './testing/plain-losses.js';
import { tinyShape } from './testing/tiny-shape.js';

vi.mock(import('./session-budget.js'), async (load) => ({ ...(await load()), isLargeModel: () => true }));

const config = parseModelConfig(tinyShape);

it('frees the merged weights of sampling before anything else is computed', async () => {
  const held = countHeld();
  const lora = {
    rank: 2,
    alpha: 4,
    rankStabilized: false,
    dropout: 0,
    targets: 'all-linear' as const,
    critic: 'adapter' as const,
    seed: 1,
  };
  const engine = await createEmbeddedEngine({
    config,
    weights: initializeWeights(config, 5),
    threads: 1,
    lora,
  });
  const critic = await engine.openCritic();
  const reference = await engine.openReference();
  const tokens = Int32Array.of(1, 2, 3, 4);
  const request = { tokens, positions: Int32Array.of(1, 2, 3) };
  const datum: Datum = {
    ...request,
    weights: new Float32Array(3).fill(1),
    columns: { returns: new Float32Array(3) },
  };
  const params = { maxTokens: 4, temperature: 1, topP: 1, topK: 0, stopTokens: [], stopSequences: [] };
  for (const [name, compute] of Object.entries({
    'score of the policy': () => engine.policy.score([request]),
    'score of the reference': () => reference.score([request]),
    values: () => critic.values([request]),
    'training of the critic': () => critic.forwardBackward([datum], valueLoss),
  })) {
    await engine.policy.sample({ sequence: name, tokens: Int32Array.of(1, 2), seed: 1, params });
    expect(held(), name).toBeGreaterThan(0);
    await compute();
    expect(held(), name).toBe(0);
  }
  await engine.dispose();
});

/** Counts the arrays of sampling that are allocated and not freed. */
function countHeld(): () => number {
  const arrays: Float32Array[] = [];
  const allocate = ReleasableMemory.prototype.allocate;
  vi.spyOn(ReleasableMemory.prototype, 'allocate').mockImplementation(function (
    this: ReleasableMemory,
    length,
  ) {
    const array = allocate.call(this, length);
    arrays.push(array);
    return array;
  });
  return () => arrays.filter(({ length }) => length > 0).length;
}
