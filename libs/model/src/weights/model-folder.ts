/**
 * @file A model on disk in Hugging Face's layout: config.json, generation_config.json, model.safetensors (or shards
 * with an index), tokenizer files. Weights are float32 in memory; what the file holds is widened or rounded.
 */
import { copyFileSync, existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { AppError, isSafeName } from '@espalier/contracts';
import type { LlamaConfig } from '../families/llama-config.js';
import { tokenizerFileNames } from '../tokenizer/tokenizer-folder.js';
import { encodeSafetensors } from './encode-safetensors.js';
import { llamaWeightShapes } from './llama-weights.js';
import { loadModelConfig, loadModelJson } from './model-config.js';
import type { SafetensorsTensor } from './parse-safetensors.js';
import { loadSafetensors } from './safetensors-file.js';
import { saveWholeFile } from './whole-file.js';

/** One weight array. */
export interface Weight {
  readonly data: Float32Array;
  readonly shape: readonly number[];
}

export interface ModelFolder {
  readonly config: LlamaConfig;
  /** by the names of the checkpoint */
  readonly weights: Map<string, Weight>;
}

/** Number formats a model can be stored in, with their names in safetensors. */
const storageDtypes = { float32: 'F32', float16: 'F16', bfloat16: 'BF16' } as const;

export interface SaveModelOptions {
  readonly config: LlamaConfig;
  readonly weights: ReadonlyMap<string, Weight>;
  readonly dtype: keyof typeof storageDtypes;
  /** folder whose tokenizer files are copied */
  readonly tokenizerFrom?: string;
}

/**
 * Reads configuration and weights of a model folder.
 *
 * @throws model.malformed_config (files, names, shapes), model.unsupported_config, model.malformed_safetensors (also for
 *         NaN and infinity)
 */
export function loadModelFolder(folder: string): ModelFolder {
  const config = loadModelConfig(folder);
  const weights = new Map<string, Weight>();
  for (const [name, tensor] of loadTensors(folder))
    weights.set(name, { data: widen(folder, name, tensor), shape: tensor.shape });
  // Tied checkpoints of some tools store the head once more.
  if (config.tie_word_embeddings) weights.delete('lm_head.weight');
  checkWeights(folder, config, weights);
  for (const [name, { data }] of weights) requireFinite(folder, name, data);
  return { config, weights };
}

/** A model with one NaN answers NaN to everything. */
function requireFinite(folder: string, name: string, data: Float32Array): void {
  for (let at = 0; at < data.length; at++) {
    if (Number.isFinite(data[at])) continue;
    throw new AppError(
      'model.malformed_safetensors',
      `${folder}: weight "${name}" is ${data[at]} at place ${at}; expected finite numbers, copy or download the weights again`,
      { details: { path: folder, name } },
    );
  }
}

/**
 * Writes a model folder; files that do not belong to the model stay. Each file appears whole or not at all, the
 * weights last, so that a folder that has weights has everything.
 *
 * @throws model.malformed_config when the weights are not those of the configuration
 */
export function saveModelFolder(
  folder: string,
  { config, weights, dtype, tokenizerFrom }: SaveModelOptions,
): void {
  checkWeights(folder, config, weights);
  mkdirSync(folder, { recursive: true });
  const stored = new Map(
    [...weights].map(([name, weight]) => [name, { dtype: storageDtypes[dtype], ...weight }]),
  );
  const bytes = encodeSafetensors(stored, { format: 'pt' });
  saveWholeFile(join(folder, 'config.json'), toJson(describeConfig(config, dtype)));
  const { bos_token_id = null, eos_token_id = null, pad_token_id = null } = config;
  saveWholeFile(
    join(folder, 'generation_config.json'),
    toJson({ _from_model_config: true, bos_token_id, eos_token_id, pad_token_id }),
  );
  if (tokenizerFrom !== undefined && tokenizerFrom !== folder) {
    for (const name of tokenizerFileNames) {
      if (existsSync(join(tokenizerFrom, name))) copyFileSync(join(tokenizerFrom, name), join(folder, name));
    }
  }
  saveWholeFile(join(folder, 'model.safetensors'), bytes);
}

function describeConfig(config: LlamaConfig, dtype: string): Record<string, unknown> {
  return { architectures: ['LlamaForCausalLM'], ...config, torch_dtype: dtype, dtype, use_cache: true };
}

const toJson = (value: unknown) => `${JSON.stringify(value, null, 2)}\n`;

function* loadTensors(folder: string): Generator<readonly [string, SafetensorsTensor]> {
  const single = join(folder, 'model.safetensors');
  const indexPath = join(folder, 'model.safetensors.index.json');
  if (existsSync(single)) return yield* loadSafetensors(single).tensors;
  if (!existsSync(indexPath))
    throw malformed(folder, 'there is no model.safetensors and no model.safetensors.index.json');
  const index = (loadModelJson(indexPath) as { weight_map?: unknown } | null)?.weight_map;
  if (typeof index !== 'object' || index === null)
    throw malformed(indexPath, 'there is no "weight_map" from names to files');
  const entries = Object.entries(index as Record<string, unknown>);
  for (const file of new Set(entries.map(([, name]) => name))) {
    if (typeof file !== 'string' || !isSafeName(file) || !existsSync(join(folder, file))) {
      throw malformed(indexPath, `the file ${JSON.stringify(file)} is not in the folder`);
    }
    const { tensors } = loadSafetensors(join(folder, file));
    for (const [name, place] of entries) {
      if (place !== file) continue;
      const tensor = tensors.get(name);
      if (!tensor) throw malformed(indexPath, `"${name}" is said to be in ${file}, which does not have it`);
      yield [name, tensor];
    }
  }
}

function widen(folder: string, name: string, { data, dtype }: SafetensorsTensor): Float32Array {
  if (data instanceof Float32Array) return data;
  if (data instanceof Float64Array) return Float32Array.from(data);
  throw malformed(folder, `weight "${name}" has the dtype ${dtype}; weights are floating-point`);
}

function checkWeights(folder: string, config: LlamaConfig, weights: ReadonlyMap<string, Weight>): void {
  const expected = llamaWeightShapes(config);
  const missing = [...expected.keys()].filter((name) => !weights.has(name));
  const unexpected = [...weights.keys()].filter((name) => !expected.has(name));
  if (missing.length > 0 || unexpected.length > 0) {
    const list = (names: string[]) =>
      names.length === 0
        ? 'none'
        : `${names.slice(0, 3).join(', ')}${names.length > 3 ? `, … (${names.length})` : ''}`;
    throw malformed(
      folder,
      `the weights are not those of config.json: missing ${list(missing)}; unexpected ${list(unexpected)}`,
    );
  }
  for (const [name, shape] of expected) {
    const found = weights.get(name)!.shape;
    if (found.join() !== shape.join()) {
      throw malformed(
        folder,
        `weight "${name}" has the shape [${found.join(', ')}]; config.json asks for [${shape.join(', ')}]`,
      );
    }
  }
}

const malformed = (path: string, finding: string, cause?: unknown) =>
  new AppError('model.malformed_config', `${path}: ${finding}`, { details: { path }, cause });
