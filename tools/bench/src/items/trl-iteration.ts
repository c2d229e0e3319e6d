/**
 * @file A whole GRPO iteration as a script for TRL's GRPOTrainer would do it: 8 prompts × 16 completions, prompt 128,
 * completion 64 tokens, one update over all, no penalty, 5 M parameters. Prompts are random, and so is the reward
 * in effect: it counts one word.
 */
import { fileURLToPath } from 'node:url';
import type { Datum, PolicyModel, SampleResult } from '@espalier/contracts';
import { createEmbeddedEngine } from '@espalier/engine';
import { initializeWeights } from '@espalier/model';
import { estimateTokenWeights } from '@espalier/objective';
import { discoverPlugins } from '@espalier/plugin-host';
import type { AlgorithmDefinition } from '@espalier/plugin-kit';
import { createStream } from '@espalier/random';
import { type BenchItem, buildRow, peakMemoryGb } from '../row.js';
import { matmulRate } from './matmul.js';
import { configOf, shapeOf } from './shapes.js';

const root = fileURLToPath(new URL('../../../..', import.meta.url));
const counts = { prompts: 8, groupSize: 16, prompt: 128, completion: 64, word: 7 };
const adam = {
  learningRate: 1e-5,
  beta1: 0.9,
  beta2: 0.999,
  epsilon: 1e-8,
  weightDecay: 0,
  maxGradientNorm: 1,
};
const sampling = { temperature: 1, topP: 1, topK: 0, stopTokens: [], stopSequences: [] };

interface Sample {
  readonly group: number;
  readonly prompt: Int32Array;
  readonly result: SampleResult;
}

interface Split {
  readonly sample: number;
  readonly update: number;
  readonly total: number;
}

/** Rows: seconds of an iteration (as the peer reports them: of the last 4 of 6, the second smallest), and its parts. */
export const trlIteration: BenchItem = async (options) => {
  const sizes = options.short ? { ...counts, prompts: 2, groupSize: 4, completion: 8 } : counts;
  const config = configOf(shapeOf('decode5m', options.short), 1024);
  const engine = await createEmbeddedEngine({
    config,
    weights: initializeWeights(config, 1),
    threads: options.threads,
  });
  const grpo = (await discoverPlugins({ root })).get('algorithm', 'grpo');
  const stream = createStream(11);
  const splits: Split[] = [];
  for (let round = 0; round < (options.short ? 1 : 6); round += 1) {
    const prompts = Array.from({ length: sizes.prompts }, () =>
      Int32Array.from({ length: sizes.prompt }, () => 3 + stream.int(config.shape.vocabularySize - 3)),
    );
    splits.push(await iterate(engine.policy, prompts, sizes, grpo, round));
  }
  const memory = peakMemoryGb();
  await engine.dispose();
  const kept = (options.short ? splits : splits.slice(2)).sort((a, b) => a.total - b.total);
  const { total, sample, update } = kept[options.short ? 0 : 1] as Split;
  const tokens = sizes.prompts * sizes.groupSize * sizes.completion;
  const baseline = { name: 'MatMul 2048³, GFLOP/s', value: await matmulRate(options) };
  const whole = { name: 'whole iteration, s', value: total };
  return [
    buildRow(
      'iteration/trl-shape',
      total,
      's',
      baseline,
      `${sizes.prompts}×${sizes.groupSize} completions, ${(tokens / sample).toFixed(0)} tokens/s sampled, peak memory ${memory.toFixed(2)} GB`,
    ),
    buildRow('iteration/trl-shape/sample', sample, 's', whole),
    buildRow('iteration/trl-shape/update', update, 's', whole, 'credit, loss, gradient, optimizer step'),
  ];
};

async function iterate(
  policy: PolicyModel,
  prompts: readonly Int32Array[],
  { groupSize, completion, word }: typeof counts,
  grpo: AlgorithmDefinition<unknown>,
  round: number,
): Promise<Split> {
  const begin = performance.now();
  const names = prompts.flatMap((_, group) =>
    Array.from({ length: groupSize }, (__, index) => `${round}/${group}/${index}`),
  );
  const samples: Sample[] = await Promise.all(
    names.map(async (sequence, index) => {
      const group = Math.floor(index / groupSize);
      const prompt = prompts[group] as Int32Array;
      const params = { ...sampling, maxTokens: completion };
      const seed = round * 10_000 + index;
      const request = { sequence, tokens: prompt, params, seed, sharedPrefix: prompt.length };
      return { group, prompt, result: await policy.sample(request) };
    }),
  );
  policy.release(names);
  const sampled = performance.now();
  const params = grpo.params.parse({});
  await policy.forwardBackward(giveCredit(samples, word, grpo, params), grpo.policyLoss(params));
  await policy.optimizerStep(adam);
  const end = performance.now();
  const seconds = (from: number, to: number): number => (to - from) / 1000;
  return { sample: seconds(begin, sampled), update: seconds(sampled, end), total: seconds(begin, end) };
}

/** Scores by a word's count, compares within groups, and lines everything up for the loss. */
function giveCredit(
  samples: readonly Sample[],
  word: number,
  grpo: AlgorithmDefinition<unknown>,
  params: unknown,
): Datum[] {
  const credited = samples.map(({ group, prompt, result }) => {
    const length = prompt.length + result.tokens.length;
    const lossMask = new Uint8Array(length).fill(1, prompt.length); // [T]
    const total = result.tokens.filter((token) => token === word).length;
    const rewards = new Float64Array(length); // [T]
    rewards[length - 1] = total;
    return { group, total, rewards, lossMask, turnEnds: [length - 1] };
  });
  const { advantages } = grpo.advantages(credited, params);
  const weights = estimateTokenWeights(
    samples.map(({ result }) => result.tokens.length),
    'token-mean',
  );
  return samples.map(({ prompt, result }, index) => ({
    tokens: Int32Array.of(...prompt, ...result.tokens),
    positions: Int32Array.from(result.tokens, (_, i) => prompt.length + i),
    temperature: 1,
    weights: weights[index] as Float32Array,
    columns: {
      oldLogprobs: result.logprobs,
      advantages: Float32Array.from(advantages[index] ?? []).subarray(prompt.length),
    },
  }));
}
