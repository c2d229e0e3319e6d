/**
 * @file Training small enough for a test: a random two-layer model, a reward that a random model already earns
 * unevenly (the share of its tokens with an even id), real environments and algorithms.
 */
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import ppo from '@espalier/algorithm-ppo';
import grpo from '@espalier/algorithm-grpo';
import starpoS from '@espalier/algorithm-starpo-s';
import { type RunEvent, type RunSpec, runSpecSchema } from '@espalier/contracts';
import { isRepeatable } from '@espalier/contracts/metric';
import bandit from '@espalier/environment-bandit';
import frozenLake from '@espalier/environment-frozen-lake';
import { hashFile } from '@espalier/files';
import {
  createTokenizer,
  initializeWeights,
  parseModelConfig,
  saveModelFolder,
  saveTokenizer,
  trainTokenizer,
} from '@espalier/model';
import { defineReward } from '@espalier/plugin-kit';
import { createMemorySink } from '@espalier/recorder';
import { createTrainer, type PluginLookup } from '@espalier/trainer';
import { z } from 'zod';

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

const installed: readonly { readonly kind: string; readonly id: string }[] = [
  ppo,
  grpo,
  starpoS,
  bandit,
  frozenLake,
  evenTokens,
];

export const tinyPlugins = {
  get: (kind: string, id: string) => {
    const found = installed.find((plugin) => plugin.kind === kind && plugin.id === id);
    if (found === undefined) throw new Error(`no ${kind} "${id}"`);
    return found;
  },
} as unknown as PluginLookup;

/** Writes a random model with its tokenizer into `folder`. */
export function saveTinyModel(folder: string): string {
  mkdirSync(folder, { recursive: true });
  const phrases = ['<think>', '</think>', '<answer>', '</answer>'];
  const files = trainTokenizer({ corpus: [], phrases, vocabularySize: 300, contextLength: 768 });
  const { endOfTurn, pad } = createTokenizer(files);
  saveTokenizer(folder, files);
  const config = parseModelConfig({
    model_type: 'llama',
    vocab_size: 300,
    hidden_size: 16,
    num_hidden_layers: 2,
    num_attention_heads: 2,
    num_key_value_heads: 1,
    intermediate_size: 32,
    max_position_embeddings: 768,
    rope_theta: 10000,
    rms_norm_eps: 1e-5,
    tie_word_embeddings: true,
    bos_token_id: null,
    eos_token_id: endOfTurn,
    pad_token_id: pad,
  });
  saveModelFolder(folder, { config, weights: initializeWeights(config, 5), dtype: 'float32' });
  return folder;
}

/** A resolved spec: two groups of four, PPO with critic and reference, two mini-batches, two passes. */
export function tinyTrainingSpec(modelFolder: string, change: Record<string, unknown> = {}): RunSpec {
  const params = ppo.params.parse({ klCoefficient: 0.05, entropyCoefficient: 0.01 });
  const spec = runSpecSchema.parse({
    model: { path: modelFolder },
    environment: { use: 'bandit', ...bandit.params.parse({}) },
    algorithm: { use: 'ppo', ...params },
    rewards: [{ use: 'even-tokens', weight: 1 }],
    steps: 4,
    rollout: { promptsPerStep: 2, groupSize: 4, maxResponseTokens: 12 },
    update: { epochs: 2, miniBatches: 2 },
    optimizer: { learningRate: 1e-3 },
    criticOptimizer: { learningRate: 1e-3 },
    validation: { every: 2, episodes: 4 },
    checkpoint: { every: 2, keep: 4 },
    device: { threads: 1 },
    ...change,
  });
  return {
    ...spec,
    name: 'tiny',
    update: { ...spec.update, lossAggregation: spec.update.lossAggregation ?? 'token-mean' },
    rollout: { ...spec.rollout, maxTurns: 1, maxActions: 1, maxActionsPerTurn: 1 },
  } as RunSpec;
}

export interface TinyOutcome {
  readonly events: readonly RunEvent[];
  readonly folder: string;
  /** sha256 of the newest checkpoint's files, by name */
  readonly hashes: Readonly<Record<string, string>>;
}

/** Trains; `stopAtStep` asks to stop as soon as the metrics of that iteration are out. */
export async function trainTiny(
  spec: RunSpec,
  folder: string,
  options: { readonly resume?: boolean; readonly stopAtStep?: number } = {},
): Promise<TinyOutcome> {
  const controller = new AbortController();
  const memory = createMemorySink();
  const sink = {
    ...memory,
    emit(event: RunEvent): void {
      memory.emit(event);
      if (event.kind === 'metrics' && event.step === options.stopAtStep) controller.abort();
    },
  };
  const parts = { registry: tinyPlugins, sink, folder, resume: options.resume ?? false };
  const trainer = await createTrainer(spec, parts);
  try {
    const { checkpoint } = await trainer.run(controller.signal);
    const names = ['policy', 'critic', 'critic-2'].flatMap((part) =>
      ['adapter_model', 'model', 'optimizer'].map((name) => `${part}/${name}.safetensors`),
    );
    return {
      events: memory.events,
      folder,
      hashes: Object.fromEntries(
        names.flatMap((name) => {
          const path = join(checkpoint, name);
          return existsSync(path) ? [[name, hashFile(path)]] : [];
        }),
      ),
    };
  } finally {
    await trainer.dispose();
  }
}

/** Metrics rows without metrics that differ between equal runs. */
export function lastingRows(events: readonly RunEvent[]): { step: number; values: Record<string, number> }[] {
  return events.flatMap((event) => {
    if (event.kind !== 'metrics') return [];
    const lasting = Object.entries(event.values).filter(([name]) => isRepeatable(name));
    return [{ step: event.step, values: Object.fromEntries(lasting) }];
  });
}
