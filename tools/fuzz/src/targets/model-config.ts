/** @file config.json and generation_config.json of a model folder as one JSON text: parsed, and sized as `plan` does. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { estimateModel, parseModelConfig } from '@espalier/model';
import type { RandomStream } from '@espalier/random';
import type { FuzzTarget } from '../fuzz-target.js';
import { mutateJson } from '../mutate-json.js';

const folders = [
  'gemma2', 'gemma3', 'llama-linear', 'llama3', 'mistral', 'mistral-window', 'olmo2', 'qwen2-tied', 'qwen2-yarn', 'qwen3',
  'smollm3',
]; // prettier-ignore

const words = [
  'llama', 'mistral', 'gemma2', 'gemma3_text', 'olmo2', 'qwen2', 'qwen3', 'smollm3', 'LlamaForCausalLM', 'model_type',
  'architectures', 'rope_scaling', 'rope_type', 'yarn', 'linear', 'llama3', 'dynamic', 'longrope', 'factor', 'rope_theta',
  'layer_types', 'sliding_attention', 'full_attention', 'sliding_window', 'hidden_act', 'gelu_pytorch_tanh', 'silu',
  'num_hidden_layers', 'head_dim', 'vocab_size', 'tie_word_embeddings', 'quantization_config', '__proto__', '',
]; // prettier-ignore

function mutateConfig(stream: RandomStream, input: Uint8Array): Uint8Array {
  let parsed: unknown;
  try {
    parsed = JSON.parse(new TextDecoder().decode(input));
  } catch {
    return input;
  }
  return new TextEncoder().encode(JSON.stringify(mutateJson(stream, parsed, words)) ?? 'null');
}

/**
 * Builds the target.
 *
 * @param root of the clone, whose golden models are the start
 */
export function createModelConfigTarget(root: string): FuzzTarget {
  const corpus = folders.map(
    (name) => new Uint8Array(readFileSync(join(root, 'test/golden/families', name, 'config.json'))),
  );
  const read = (input: Uint8Array): void => {
    let value: unknown;
    try {
      value = JSON.parse(new TextDecoder().decode(input));
    } catch {
      return; // loadModelConfig refuses it before
    }
    const config = parseModelConfig(value, 'fuzz');
    const estimate = estimateModel(config, { batchTokens: 64, contextLength: 32, rows: 2 });
    for (const [name, size] of Object.entries({ ...config.shape, ...estimate }))
      if (typeof size === 'number' && !Number.isFinite(size)) throw new Error(`${name} is ${size}`);
    if (config.shape.attention.length !== config.shape.layerCount)
      throw new Error(`${config.shape.attention.length} of ${config.shape.layerCount} layers`);
  };
  return { name: 'model-config', corpus, words, mutate: mutateConfig, read };
}
