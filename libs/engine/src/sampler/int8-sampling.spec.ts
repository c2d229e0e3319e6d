import type { SampleResult } from '@espalier/contracts';
import { initializeWeights, parseModelConfig } from '@espalier/model';
import { describe, expect, it } from 'vitest';
import { createEmbeddedEngine } from '../embedded-engine.js';
import { step } from '../testing/conformance-case.js';
import { likelihoodLoss } from '../testing/plain-losses.js';

const config = parseModelConfig({
  model_type: 'llama',
  vocab_size: 61,
  hidden_size: 48,
  num_hidden_layers: 2,
  num_attention_heads: 4,
  num_key_value_heads: 2,
  intermediate_size: 72,
  max_position_embeddings: 160,
  tie_word_embeddings: false,
});
// wide enough for probabilities that differ
const named = new Map(
  [...initializeWeights(config, 5)].map(([name, { shape, data }]) => [
    name,
    { shape, data: shape.length === 2 ? data.map((value) => 2 * value) : data },
  ]),
);

const params = { temperature: 1, topP: 1, topK: 0, maxTokens: 30, stopTokens: [], stopSequences: [] };
const promptOf = (i: number): Int32Array => Int32Array.from({ length: 20 }, (_, t) => (i * 31 + t * 7) % 61);

type Engine = Awaited<ReturnType<typeof createEmbeddedEngine>>;
const open = (sampling: 'float32' | 'int8', weights: typeof named = named, threads = 1): Promise<Engine> =>
  createEmbeddedEngine({ config, weights, sampling, threads });

const sampleAll = (engine: Engine, of: readonly number[]): Promise<SampleResult[]> =>
  Promise.all(
    of.map((i) => engine.policy.sample({ sequence: `s${i}`, tokens: promptOf(i), params, seed: i })),
  );

async function learn({ policy }: Engine): Promise<void> {
  const positions = Int32Array.of(5, 10, 15);
  const data = [{ tokens: promptOf(3), positions, weights: new Float32Array(3).fill(1), columns: {} }];
  await policy.forwardBackward(data, likelihoodLoss);
  await policy.optimizerStep(step);
}

/** |log-probability at sampling − that of an engine| of every sampled token. */
async function gapsTo(engine: Engine, results: readonly SampleResult[]): Promise<number[]> {
  const scores = await engine.policy.score(
    results.map(({ tokens }, i) => ({
      tokens: Int32Array.of(...promptOf(i), ...tokens),
      positions: Int32Array.from(tokens, (_, t) => 20 + t),
    })),
  );
  return results.flatMap(({ logprobs }, i) =>
    Array.from(logprobs, (value, t) => Math.abs(value - scores[i]!.logprobs[t]!)),
  );
}

const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length;

describe('sampling in int8', () => {
  it('records log-probabilities of the rounded weights: near those of training, and not the same', async () => {
    const engine = await open('int8');
    const gaps = await gapsTo(engine, await sampleAll(engine, [0, 1, 2, 3]));
    expect(mean(gaps)).toBeGreaterThan(1e-4);
    // random weights magnify rounding; of the built-in model it is 0.018
    expect(mean(gaps)).toBeLessThan(0.1);
    await engine.dispose();
    const exact = await open('float32');
    expect(Math.max(...(await gapsTo(exact, await sampleAll(exact, [0, 1, 2, 3]))))).toBeLessThan(1e-4);
    await exact.dispose();
  });

  it('gives the bits of one thread with two, in any batch, and in a second turn', async () => {
    const [one, two] = [await open('int8', named, 1), await open('int8', named, 2)];
    const alone = (await sampleAll(one, [2]))[0]!;
    const among = (await sampleAll(two, [0, 1, 2, 3, 4, 5, 6]))[2]!;
    expect(among).toEqual(alone);
    const next = (engine: Engine) => {
      const tokens = Int32Array.of(...promptOf(2), ...alone.tokens, 4, 5, 6);
      return engine.policy.sample({ sequence: 's2', tokens, params, seed: 9 });
    };
    expect(await next(two)).toEqual(await next(one));
    await one.dispose();
    await two.dispose();
  });

  it('samples from the new weights after an update, as an engine does that was opened with them', async () => {
    const engine = await open('int8');
    const before = await sampleAll(engine, [0, 1]);
    engine.policy.release(['s0', 's1']);
    await learn(engine);
    const after = await sampleAll(engine, [0, 1]);
    expect(after[0]!.logprobs).not.toEqual(before[0]!.logprobs);
    const trained = await open('float32');
    await learn(trained);
    // weights are updated in float32, whatever samples
    expect(await engine.policy.score([{ tokens: promptOf(1), positions: Int32Array.of(3, 9) }])).toEqual(
      await trained.policy.score([{ tokens: promptOf(1), positions: Int32Array.of(3, 9) }]),
    );
    const again = await open('int8');
    await learn(again);
    const fresh = await sampleAll(again, [0, 1]);
    expect(fresh.map(({ logprobs }) => logprobs)).toEqual(after.map(({ logprobs }) => logprobs));
    for (const one of [engine, trained, again]) await one.dispose();
  });

  it.each(['webgpu', 'cuda'] as const)('is refused on %s', async (provider) => {
    await expect(
      createEmbeddedEngine({ config, weights: named, sampling: 'int8', provider }),
    ).rejects.toThrow('only the CPU samples in int8; choose device.sampling float32, or device.provider cpu');
  });
});
