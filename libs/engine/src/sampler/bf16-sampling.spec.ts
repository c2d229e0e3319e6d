/** @file Sampling in bf16. Skipped where bf16 is not set up. */
import type { SampleResult } from '@espalier/contracts';
import { initializeWeights, parseModelConfig } from '@espalier/model';
import { probeDriver } from '@espalier/runtime';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createEmbeddedEngine } from '../embedded-engine.js';
import { step } from '../testing/conformance-case.js';
import { engineConformance } from '../testing/engine-conformance.js';
import { likelihoodLoss, valueLoss } from '../testing/plain-losses.js';

const sizes = {
  vocab_size: 61,
  hidden_size: 64,
  num_hidden_layers: 2,
  num_attention_heads: 4,
  num_key_value_heads: 2,
  intermediate_size: 96,
  max_position_embeddings: 256,
  tie_word_embeddings: false,
};
const config = parseModelConfig({ model_type: 'llama', ...sizes });
// wide enough for probabilities that differ
const weights = new Map(
  [...initializeWeights(config, 5)].map(([name, { shape, data }]) => [
    name,
    { shape, data: shape.length === 2 ? data.map((value) => 3 * value) : data },
  ]),
);
const params = { temperature: 1, topP: 1, topK: 0, maxTokens: 6, stopTokens: [], stopSequences: [] };
const promptOf = (i: number): Int32Array =>
  Int32Array.from({ length: 20 + 9 * i }, (_, t) => (i * 31 + t * 7) % 61);

type Engine = Awaited<ReturnType<typeof createEmbeddedEngine>>;
const open = (sampling: 'float32' | 'bf16', threads = 1): Promise<Engine> =>
  createEmbeddedEngine({ config, weights, sampling, precision: 'bf16', threads });

/** Two turns of each sequence, the second after an observation: first prefill, decoding, prefill with a past. */
async function play({ policy }: Engine, of: readonly number[]): Promise<SampleResult[][]> {
  const turn = (i: number, tokens: Int32Array) =>
    policy.sample({ sequence: `s${i}`, tokens, params, seed: i });
  const played = of.map(async (i) => {
    const first = await turn(i, promptOf(i));
    const observed = Int32Array.of(...promptOf(i), ...first.tokens, ...promptOf(i + 1));
    return [first, await turn(i, observed)];
  });
  const results = await Promise.all(played);
  policy.release(of.map((i) => `s${i}`));
  return results;
}

const { isAvailable, precisions } = await probeDriver('openvino');
// in CI the library must be there; not every processor computes in bf16
const isSkipped = isAvailable ? !precisions.includes('bf16') : process.env['CI'] === undefined;

describe.skipIf(isSkipped)('sampling in bf16 (needs OpenVINO, and a processor with bf16)', () => {
  let engine: Engine;
  let alone: SampleResult[] | undefined;
  beforeAll(async () => {
    engine = await open('bf16');
    [alone] = await play(engine, [2]);
  });
  afterAll(() => engine.dispose());

  it('has other probabilities than float32, near them', async () => {
    const float32 = await open('float32');
    const [exact] = await play(float32, [2]);
    await float32.dispose();
    const [ours = NaN, theirs = NaN] = [alone, exact].map((turns) => turns?.[0]?.logprobs[0]);
    expect(alone?.[0]?.tokens[0]).toBe(exact?.[0]?.tokens[0]);
    expect(Math.abs(ours - theirs)).toBeGreaterThan(1e-6);
    expect(Math.abs(ours - theirs)).toBeLessThan(0.1);
  });

  it('gives a sequence the same bits among others, and on two threads', async () => {
    const among = await play(engine, [0, 1, 2, 3, 4]);
    expect(among[2]).toEqual(alone);
    const two = await open('bf16', 2);
    const [again] = await play(two, [2]);
    await two.dispose();
    expect(again).toEqual(alone);
  });

  // with windows that begin in shared prefixes and behind them
  const windowed = parseModelConfig({
    ...sizes,
    model_type: 'gemma3_text',
    head_dim: 16,
    layer_types: ['full_attention', 'sliding_attention'],
    sliding_window: 20,
  });
  const exact = engineConformance.filter(({ title }) =>
    [
      'gives a member the same alone, in its group and among other groups',
      'keeps apart requests that declare a prefix and requests that do not',
      'gives the same to a sequence that arrives while others decode',
      'gives greedy and drawn answers of one batch what each gets alone',
    ].includes(title),
  );
  it('has cases in which no bit may differ', () => expect(exact).toHaveLength(4));
  for (const { title, run } of exact) {
    it(title, () =>
      run({
        create: () =>
          createEmbeddedEngine({
            config: windowed,
            weights: initializeWeights(windowed, 5),
            sampling: 'bf16',
            precision: 'bf16',
            threads: 1,
          }),
        likelihoodLoss,
        valueLoss,
        temporaryFolder: () => '',
      }),
    );
  }

  it('draws improbable tokens as rarely as float32 does from a large vocabulary', async () => {
    // hidden states are 1, and logits 0 for a token in the middle of a block and -14.625 for the others, which bf16 has
    const [size, width, likely] = [4096, 64, 70];
    const large = parseModelConfig({ ...sizes, model_type: 'llama', vocab_size: size, num_hidden_layers: 1 });
    const flat = new Map(
      [...initializeWeights(large, 5)].map(([name, { shape, data }]) => {
        const value = name === 'lm_head.weight' ? -14.625 / width : /norm|embed/.test(name) ? 1 : 0;
        const filled = new Float32Array(data.length).fill(value);
        if (name === 'lm_head.weight') filled.fill(0, likely * width, (likely + 1) * width);
        return [name, { shape, data: filled }];
      }),
    );
    const drawn = async (sampling: 'float32' | 'bf16'): Promise<number[]> => {
      const { policy, dispose } = await createEmbeddedEngine({
        config: large,
        weights: flat,
        sampling,
        precision: 'bf16',
        threads: 1,
      });
      const ask = (seed: number) =>
        policy.sample({
          sequence: `s${seed}`,
          tokens: Int32Array.of(1, 2),
          params: { ...params, maxTokens: 64 },
          seed,
        });
      const results = await Promise.all(Array.from({ length: 64 }, (_, seed) => ask(seed)));
      await dispose();
      return results.flatMap(({ tokens }) => [...tokens]);
    };
    const [rounded, exact] = [await drawn('bf16'), await drawn('float32')];
    expect(exact.filter((token) => token !== likely).length).toBeGreaterThan(0);
    expect(rounded).toEqual(exact);
  });

  it('samples from the new weights after an update', async () => {
    const learner = await open('bf16');
    await play(learner, [2]);
    const positions = Int32Array.of(5, 10, 15);
    const data = [{ tokens: promptOf(3), positions, weights: new Float32Array(3).fill(1), columns: {} }];
    await learner.policy.forwardBackward(data, likelihoodLoss);
    await learner.policy.optimizerStep(step);
    const [after] = await play(learner, [2]);
    const score = async ({ policy }: Engine) =>
      policy.score([
        {
          tokens: Int32Array.of(...promptOf(2), ...(after?.[0]?.tokens ?? [])),
          positions: Int32Array.of(promptOf(2).length),
        },
      ]);
    const [[updated], [former]] = [await score(learner), await score(engine)];
    await learner.dispose();
    const sampled = after?.[0]?.logprobs[0] ?? NaN;
    expect(Math.abs(sampled - (updated?.logprobs[0] ?? NaN))).toBeLessThan(0.1);
    expect(Math.abs(sampled - (former?.logprobs[0] ?? NaN))).toBeGreaterThan(0.1);
  });

  it('refuses float32 for training', async () => {
    const options = { config, weights, sampling: 'bf16', precision: 'float32' } as const;
    await expect(createEmbeddedEngine(options)).rejects.toThrow(
      /sampling in bf16 needs device\.precision bf16; choose it, or device\.sampling float32$/,
    );
  });
});
