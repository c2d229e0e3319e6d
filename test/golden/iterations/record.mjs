/**
 * Records the runs that recompute_iterations.py recomputes: a random two-layer Llama trained for a few iterations by
 * each algorithm. Writes model/ and, per run, spec.json, metrics.jsonl and trajectories/.
 *
 *     npm run build && node test/golden/iterations/record.mjs
 *
 * Record again only when the format of a run folder or a name in the spec changes; then recompute the golden numbers.
 */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { resolveRunSpec } from '@espalier/config';
import {
  createTokenizer,
  initializeWeights,
  parseModelConfig,
  saveModelFolder,
  saveTokenizer,
  trainTokenizer,
} from '@espalier/model';
import { discoverPlugins } from '@espalier/plugin-host';
import { defineReward } from '@espalier/plugin-kit';
import { createMetricSink, createTeeSink, createTrajectorySink } from '@espalier/recorder';
import { createTrainer } from '@espalier/trainer';
import { z } from 'zod';

const here = dirname(fileURLToPath(import.meta.url));
const root = resolve(here, '../../..');

/** A random model earns this unevenly from the first step on, turn by turn. */
const evenTokens = defineReward({
  id: 'even-tokens',
  summary: 'Share of sampled tokens with an even id.',
  params: z.object({}),
  score: ({ tokens, turns }) => ({
    perTurn: turns.map(({ sampled: { start, end } }) => {
      const own = tokens.subarray(start, end);
      return own.filter((id) => id % 2 === 0).length / own.length;
    }),
  }),
});

const shared = {
  environment: { use: 'frozen-lake' },
  rewards: [{ use: 'even-tokens' }, { use: 'format' }],
  steps: 3,
  rollout: { promptsPerStep: 4, groupSize: 4, maxTurns: 3, maxResponseTokens: 12 },
  validation: { every: 0, atStart: false, atEnd: false },
  device: { threads: 1 },
};
const runs = {
  grpo: {
    algorithm: { use: 'grpo', klCoefficient: 0.2, entropyCoefficient: 0.01, clipLow: 0.1 },
    update: { epochs: 3, miniBatches: 2 },
    // with a smaller epsilon the first steps turn on the sign of gradients that are almost 0, which no two programs share
    optimizer: { learningRate: 1e-2, weightDecay: 0.1, maxGradientNorm: 0.2, epsilon: 1e-4 },
  },
  ppo: {
    algorithm: { use: 'ppo', gamma: 0.98, lambda: 0.9, valueClip: 0.1, clipLow: 0.1, clipHigh: 0.15 },
    rollout: { ...shared.rollout, temperature: 0.8 },
    update: { epochs: 2, miniBatches: 2, lossAggregation: 'sequence-mean-token-mean', lossMask: { control: false } },
    optimizer: { learningRate: 1e-2, schedule: { kind: 'linear', warmupSteps: 2 } },
    criticOptimizer: { learningRate: 5e-3 },
  },
  'starpo-s': {
    algorithm: { use: 'starpo-s', keepRatio: 0.5, entropyCoefficient: 0.02 },
    update: { epochs: 3, lossAggregation: 'sequence-mean-token-sum', criticWarmup: 1 },
    optimizer: { learningRate: 1e-2, beta2: 0.95 },
    criticOptimizer: { learningRate: 5e-3 },
  },
};

function saveModel(folder) {
  const corpus = readFileSync(join(root, 'libs/rollout/src/prompt.ts'), 'utf8').split('\n');
  const phrases = ['<think>', '</think>', '<answer>', '</answer>'];
  const files = trainTokenizer({ corpus, phrases, vocabularySize: 384, contextLength: 640 });
  mkdirSync(folder, { recursive: true });
  saveTokenizer(folder, files);
  const { endOfTurn, pad } = createTokenizer(files);
  const config = parseModelConfig({
    model_type: 'llama',
    vocab_size: 384,
    hidden_size: 32,
    num_hidden_layers: 2,
    num_attention_heads: 4,
    num_key_value_heads: 2,
    intermediate_size: 48,
    max_position_embeddings: 640,
    rope_theta: 10000,
    rms_norm_eps: 1e-5,
    tie_word_embeddings: true,
    bos_token_id: null,
    eos_token_id: endOfTurn,
    pad_token_id: pad,
  });
  saveModelFolder(folder, { config, weights: initializeWeights(config, 5), dtype: 'float32' });
}

async function record(name, change) {
  const installed = await discoverPlugins({ root });
  const isReward = (kind, id) => kind === 'reward' && id === evenTokens.id;
  const registry = {
    list: () => [...installed.list(), evenTokens],
    get: (kind, id) => (isReward(kind, id) ? evenTokens : installed.get(kind, id)),
    folderOf: (kind, id) => installed.folderOf?.(kind, id),
  };
  const target = join(here, name);
  const work = mkdtempSync(join(tmpdir(), 'espalier-record-'));
  const { spec } = resolveRunSpec({ name, model: { path: join(here, 'model') }, ...shared, ...change }, registry);
  for (const part of ['metrics.jsonl', 'trajectories']) rmSync(join(target, part), { recursive: true, force: true });
  mkdirSync(target, { recursive: true });
  const sink = createTeeSink(
    createMetricSink(join(target, 'metrics.jsonl')),
    createTrajectorySink(join(target, 'trajectories')),
  );
  const trainer = await createTrainer(spec, { registry, sink, folder: work });
  await trainer.run(new AbortController().signal);
  await sink.flush();
  await trainer.dispose();
  const portable = { ...spec, model: { path: '../model' } };
  writeFileSync(join(target, 'spec.json'), `${JSON.stringify(portable, null, 2)}\n`);
  rmSync(work, { recursive: true });
}

saveModel(join(here, 'model'));
for (const [name, change] of Object.entries(runs)) await record(name, change);
