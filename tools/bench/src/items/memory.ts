/**
 * @file The peak memory that `espalier plan` predicts next to what the kernel saw of the process. The runs sample and
 * train 4 trajectories of up to 512 tokens, in one micro-batch of 4×512; a reference policy gives every update a gradient.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  createTokenizer,
  initializeWeights,
  parseModelConfig,
  saveModelFolder,
  saveTokenizer,
  trainTokenizer,
} from '@espalier/model';
import { type BenchItem, type BenchOptions, type BenchRow, buildRow, type Skipped } from '../row.js';
import { describeError, espalier } from './command.js';
import { findMissingModel } from './smollm2.js';

type Config = Readonly<Record<string, unknown>>;

/** What is measured: a configuration for a model, which is a plugin or a folder. */
interface MemoryCase {
  readonly name: string;
  readonly command: 'train' | 'warm-start';
  configure(model: Config, options: BenchOptions): Config;
}

const lora = { rank: 16 };
const prompt = { preset: 'plain', thinking: 'required' };

const run =
  (change: {
    readonly lora?: Config;
    readonly update?: Config;
    readonly memoryMb?: number;
    readonly contextTokens?: number;
  }): MemoryCase['configure'] =>
  (model, { short, threads }) => ({
    model,
    ...(change.lora === undefined ? {} : { lora: change.lora }),
    environment: { use: 'frozen-lake' },
    algorithm: { use: 'grpo', klCoefficient: 0.001 },
    rollout: {
      promptsPerStep: 1,
      groupSize: 4,
      // a random model spells its prompts in bytes
      contextTokens: short && !('use' in model) ? 2048 : (change.contextTokens ?? 512),
      maxResponseTokens: short && !('use' in model) ? 8 : 48,
      ...('use' in model ? {} : { prompt }),
    },
    update: { microBatchTokens: 2048, ...change.update },
    optimizer: { learningRate: 1e-5 },
    // every session that is kept meets a large micro-batch sooner or later
    steps: 'use' in model ? 4 : 1,
    validation: { every: 0, atStart: false, atEnd: false },
    device: { threads, ...(change.memoryMb === undefined ? {} : { memoryMb: change.memoryMb }) },
  });

/** One optimizer step, and one validation. */
const warmStart: MemoryCase['configure'] = (model, { short, threads }) => ({
  name: 'memory',
  model,
  lora,
  demonstrations: [
    {
      environment: { use: 'frozen-lake' },
      rollout: { prompt, maxResponseTokens: short ? 8 : 48 },
      noise: 0.5,
      actionsPerTurn: 2,
    },
  ],
  tokens: 2048,
  batchTokens: 2048,
  microBatchTokens: 2048,
  validation: { episodes: 8, finalEpisodes: 8 },
  device: { threads },
});

const cases = {
  seedling: { name: 'seedling', command: 'train', configure: run({}) },
  lora: { name: 'lora', command: 'train', configure: run({ lora, update: { recompute: 'off' } }) },
  'lora-recompute': {
    name: 'lora-recompute',
    command: 'train',
    configure: run({ lora, update: { recompute: 'on' } }),
  },
  'full-recompute': {
    name: 'full-recompute',
    command: 'train',
    configure: run({ update: { recompute: 'on' } }),
  },
  'lora-echo': {
    name: 'lora-echo',
    command: 'train',
    configure: run({ lora, update: { recompute: 'off', observationLoss: { coefficient: 0.05 } } }),
  },
  'qwen2.5-0.5b': {
    name: 'qwen2.5-0.5b',
    command: 'train',
    // a run that may hold no more recomputes
    configure: run({ lora: { ...lora, baseDtype: 'bfloat16' }, memoryMb: 6000, contextTokens: 2048 }),
  },
  'warm-start': { name: 'warm-start', command: 'warm-start', configure: warmStart },
} as const satisfies Record<string, MemoryCase>;

/** Row `memory/seedling`: all weights of the built-in model. */
export const seedlingMemory: BenchItem = async (options) => [
  compare(cases.seedling, 'memory/seedling', { use: 'seedling' }, options),
];

/** Row `memory/smollm2/<case>`; with a small random model in short mode. */
export const smollm2Memory =
  (name: Exclude<keyof typeof cases, 'seedling' | 'qwen2.5-0.5b'>): BenchItem =>
  async (options): Promise<BenchRow[] | Skipped> => {
    const { smollm2 = '', short } = options;
    const missing = short ? undefined : findMissingModel(options);
    if (missing !== undefined) return missing;
    const folder = mkdtempSync(join(tmpdir(), 'espalier-bench-'));
    try {
      const path = short ? saveRandomModel(join(folder, 'model'), tiny) : smollm2;
      return [compare(cases[name], `memory/smollm2/${name}`, { path }, options)];
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  };

/** Row `memory/qwen2.5-0.5b/lora`: a random model of the shape and the vocabulary of Qwen2.5-0.5B, its base in bfloat16. */
export const qwenMemory: BenchItem = async (options) => {
  const folder = mkdtempSync(join(tmpdir(), 'espalier-bench-'));
  try {
    const path = saveRandomModel(join(folder, 'model'), options.short ? tiny : qwen);
    return [compare(cases['qwen2.5-0.5b'], 'memory/qwen2.5-0.5b/lora', { path }, options)];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};

function compare(
  { command, configure }: MemoryCase,
  name: string,
  model: Config,
  options: BenchOptions,
): BenchRow {
  const folder = mkdtempSync(join(tmpdir(), 'espalier-bench-'));
  try {
    const file = join(folder, 'memory.yaml');
    writeFileSync(file, JSON.stringify(configure(model, options)));
    const { estimate } = JSON.parse(espalier(['plan', file, '--json']).stdout) as {
      readonly estimate: { readonly peakBytes?: number; readonly expected?: { readonly peakBytes: number } };
    };
    const predicted = estimate.expected?.peakBytes ?? estimate.peakBytes ?? Number.NaN;
    const { peakBytes } = espalier([command, file, '--out', join(folder, 'out')]);
    return buildRow(
      name,
      predicted / 1e9,
      'GB predicted',
      { name: 'GB measured', value: peakBytes / 1e9 },
      describeError(predicted, peakBytes),
    );
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Some ten thousand parameters. */
const tiny = {
  model_type: 'llama',
  vocab_size: 384,
  hidden_size: 32,
  num_hidden_layers: 2,
  num_attention_heads: 4,
  num_key_value_heads: 2,
  intermediate_size: 48,
  max_position_embeddings: 2048,
  rms_norm_eps: 1e-5,
  tie_word_embeddings: true,
};

const qwen = {
  model_type: 'qwen2',
  vocab_size: 151936,
  hidden_size: 896,
  num_hidden_layers: 24,
  num_attention_heads: 14,
  num_key_value_heads: 2,
  intermediate_size: 4864,
  max_position_embeddings: 32768,
  rope_theta: 1e6,
  rms_norm_eps: 1e-6,
  tie_word_embeddings: true,
};

/** A model of a shape, with a tokenizer of a few words. */
function saveRandomModel(folder: string, shape: Config): string {
  const corpus = ['You walk across the ice. Up Down Left Right <think> </think> <answer> </answer>'];
  const phrases = ['<think>', '</think>', '<answer>', '</answer>'];
  const files = trainTokenizer({ corpus, phrases, vocabularySize: 384, contextLength: 2048 });
  saveTokenizer(folder, files);
  const { endOfTurn, pad } = createTokenizer(files);
  const config = parseModelConfig({
    ...shape,
    eos_token_id: endOfTurn,
    pad_token_id: pad,
  });
  const dtype = shape === qwen ? 'bfloat16' : 'float32';
  saveModelFolder(folder, { config, weights: initializeWeights(config, 1), dtype });
  return folder;
}
