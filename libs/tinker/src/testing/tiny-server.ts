/** @file A server of tiny models with random weights, for tests: a real one, over HTTP. */
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AppError } from '@espalier/contracts';
import { createEmbeddedEngine } from '@espalier/engine';
import { initializeWeights, parseModelConfig } from '@espalier/model';
import { createEngineServer, type EngineServer, type EngineServerOptions } from '../server/engine-server.js';
import type { LoraConfigJson, ServedBase } from '../server/served-model.js';
import type { TinkerEngineOptions } from '../tinker-engine.js';

export const tinyConfig = parseModelConfig({
  model_type: 'llama',
  vocab_size: 61,
  hidden_size: 32,
  num_hidden_layers: 2,
  num_attention_heads: 4,
  num_key_value_heads: 2,
  intermediate_size: 48,
  max_position_embeddings: 160,
  tie_word_embeddings: false,
});

/** The tiny model, in this process. */
export const openTiny = (lora?: LoraConfigJson) =>
  createEmbeddedEngine({
    config: tinyConfig,
    weights: initializeWeights(tinyConfig, 5),
    threads: 1,
    ...(lora === undefined
      ? {}
      : {
          lora: {
            rank: lora.rank,
            alpha: 2 * lora.rank,
            rankStabilized: false,
            targets: 'all-linear' as const,
            dropout: 0,
            baseDtype: 'float32' as const,
            critic: 'adapter' as const,
            seed: lora.seed ?? 0,
            base: undefined,
          },
        }),
  });

export const tinyBase: ServedBase = {
  name: 'tiny',
  contextLength: 160,
  stopTokens: [],
  encode: (text) => {
    if (/^[a-z]*$/.test(text)) return Array.from(text, (letter) => letter.charCodeAt(0) - 97);
    throw new AppError('engine.invalid_request', `encode "${text}": the tiny model knows small letters`);
  },
  open: openTiny,
};

export const startTinyServer = (options: Partial<EngineServerOptions> = {}): Promise<EngineServer> =>
  createEngineServer({
    models: [tinyBase],
    folder: mkdtempSync(join(tmpdir(), 'espalier-tinker-')),
    pollMs: 500,
    maxModels: 8,
    ...options,
  });

/** How a client reaches the tiny model. */
export const tinyClient = (url: string, options: Partial<TinkerEngineOptions> = {}): TinkerEngineOptions => ({
  url,
  model: 'tiny',
  vocabularySize: 61,
  contextLength: 160,
  patienceMs: 10_000,
  ...options,
});
