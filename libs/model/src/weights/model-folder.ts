/**
 * @file A model on disk in Hugging Face's layout: config.json, generation_config.json, model.safetensors (or shards
 * with an index), tokenizer files. Weights are float32 in memory; what the file holds is widened or rounded.
 */
import { copyFileSync, existsSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { AppError, isSafeName } from '@espalier/contracts';
import type { ModelConfig } from '../families/model-family.js';
import { OUTPUT_HEAD, parameterShapes } from '../model-weights.js';
import { tokenizerFileNames } from '../tokenizer/tokenizer-folder.js';
import { encodeSafetensorsParts } from './encode-safetensors.js';
import { loadModelConfig, loadModelJson } from './model-config.js';
import { parseSafetensorsHeader, type SafetensorsEntry } from './parse-safetensors.js';
import { isFloat, openSafetensors, type SafetensorsFile } from './safetensors-file.js';
import { saveWholeFile } from '@espalier/files';

/** One weight array. */
export interface Weight {
  readonly data: Float32Array;
  readonly shape: readonly number[];
}

export interface ModelFolder {
  readonly config: ModelConfig;
  /** by the names of the checkpoint */
  readonly weights: Map<string, Weight>;
}

/** A model folder whose files have been checked and whose weights are still on disk. */
export interface OpenedModel {
  readonly config: ModelConfig;
  readonly shapes: ReadonlyMap<string, readonly number[]>;
  /** by the names of the weights: their number formats in safetensors */
  readonly formats: ReadonlyMap<string, string>;
  /**
   * Fills an array with one weight, or with its numbers from a place on.
   *
   * @throws model.malformed_safetensors, also for NaN and infinity
   */
  read(name: string, target: Float32Array, from?: number): void;
  close(): void;
}

/** What older versions of transformers stored and any version computes, such as in the files of Llama 2. */
const buffer = /\.rotary_emb\.inv_freq$/;

/** Number formats a model can be stored in, with their names in safetensors. */
export const storageDtypes = { float32: 'F32', float16: 'F16', bfloat16: 'BF16' } as const;
export type StorageDtype = keyof typeof storageDtypes;

export interface SaveModelOptions {
  readonly config: ModelConfig;
  readonly weights: ReadonlyMap<string, Weight>;
  readonly dtype: StorageDtype;
  /** folder whose tokenizer files and generation_config.json are copied */
  readonly tokenizerFrom?: string;
}

/**
 * Opens a model folder: reads its configuration and what its weight files hold, but no weight.
 *
 * @returns to be closed
 * @throws model.malformed_config (files, names, shapes), model.unsupported_config, model.malformed_safetensors
 */
export function openModelFolder(folder: string): OpenedModel {
  const config = loadModelConfig(folder);
  const files: SafetensorsFile[] = [];
  const close = (): void => files.splice(0).forEach((file) => file.close());
  try {
    const weights = findWeights(folder, (path) => {
      const file = openSafetensors(path);
      files.push(file);
      return file;
    });
    return {
      ...describeWeights(folder, config, new Map([...weights].map(([name, { entry }]) => [name, entry]))),
      read(name, target, from) {
        const found = weights.get(name);
        if (found === undefined) throw new RangeError(`weight "${name}" does not exist`);
        found.file.readFloats(found.entry, target, from);
        requireFinite(folder, name, target, from);
      },
      close,
    };
  } catch (error) {
    close();
    throw error;
  }
}

/** What a file with weights begins with: the length of its header, and the header. */
export interface WeightsHead {
  readonly name: string;
  /** of the whole file */
  readonly bytes: number;
  readonly head: Uint8Array;
}

/** Of a model: everything but the numbers. */
export type DescribedWeights = Pick<OpenedModel, 'config' | 'shapes' | 'formats'>;

/**
 * Describes a model of whose weight files only the heads are known; its configuration is in a folder.
 *
 * @throws as {@link openModelFolder}
 */
export function describeHeads(folder: string, heads: readonly WeightsHead[]): DescribedWeights {
  const entries = new Map<string, SafetensorsEntry>();
  for (const { name, bytes, head } of heads) {
    const take = (begin: number, end: number): Uint8Array => head.subarray(begin, end);
    for (const entry of parseSafetensorsHeader(take, bytes, join(folder, name)).entries)
      entries.set(entry.name, entry);
  }
  for (const entry of entries.values()) requireFloat(folder, entry);
  return describeWeights(folder, loadModelConfig(folder), entries);
}

function describeWeights(
  folder: string,
  config: ModelConfig,
  entries: ReadonlyMap<string, SafetensorsEntry>,
): DescribedWeights {
  // Tied checkpoints of some tools store the head once more.
  const weights = [...entries].filter(
    ([name]) => !(config.shape.isTied && name === OUTPUT_HEAD) && !buffer.test(name),
  );
  const shapes = new Map(weights.map(([name, { shape }]) => [name, shape]));
  checkShapes(folder, config, shapes);
  return { config, shapes, formats: new Map(weights.map(([name, { dtype }]) => [name, dtype])) };
}

function requireFloat(folder: string, entry: SafetensorsEntry): void {
  if (isFloat(entry)) return;
  throw malformed(
    folder,
    `weight "${entry.name}" has the dtype ${entry.dtype}; expected floating-point numbers: take the model's weights as they were before they were quantized`,
  );
}

/**
 * Reads configuration and weights of a model folder.
 *
 * @throws as {@link openModelFolder}; model.malformed_safetensors also for NaN and infinity
 */
export function loadModelFolder(folder: string): ModelFolder {
  return loadWeights(openModelFolder(folder));
}

/** Reads all weights of an opened model, and closes it. */
export function loadWeights({ config, shapes, read, close }: OpenedModel): ModelFolder {
  try {
    const weights = new Map<string, Weight>();
    for (const [name, shape] of shapes) {
      const data = new Float32Array(shape.reduce((size, extent) => size * extent, 1));
      read(name, data);
      weights.set(name, { data, shape });
    }
    return { config, weights };
  } finally {
    close();
  }
}

/** Refuses NaN and infinity: a model with one NaN answers NaN to everything. @throws model.malformed_safetensors */
export function requireFinite(folder: string, name: string, data: Float32Array, from = 0): void {
  for (let at = 0; at < data.length; at++) {
    if (Number.isFinite(data[at])) continue;
    throw new AppError(
      'model.malformed_safetensors',
      `${folder}: weight "${name}" is ${data[at]} at index ${from + at}; expected finite numbers, copy or download the weights again`,
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
  checkShapes(folder, config, new Map([...weights].map(([name, { shape }]) => [name, shape])));
  mkdirSync(folder, { recursive: true });
  const stored = new Map(
    [...weights].map(([name, weight]) => [name, { dtype: storageDtypes[dtype], ...weight }]),
  );
  const parts = encodeSafetensorsParts(stored, { format: 'pt' });
  saveWholeFile(join(folder, 'config.json'), toJson(describeConfig(config, dtype)));
  copyBeside(folder, tokenizerFrom);
  const generation = join(folder, 'generation_config.json');
  if (tokenizerFrom === undefined || !existsSync(join(tokenizerFrom, 'generation_config.json'))) {
    const { bos_token_id = null, eos_token_id = null, pad_token_id = null } = config.json;
    saveWholeFile(generation, toJson({ _from_model_config: true, bos_token_id, eos_token_id, pad_token_id }));
  }
  saveWholeFile(join(folder, 'model.safetensors'), parts);
}

/** Training changes neither the tokenizer nor how a model is meant to be sampled: the files stay as they were. */
function copyBeside(folder: string, from: string | undefined): void {
  if (from === undefined || from === folder) return;
  for (const name of keptFiles(from)) copyFileSync(join(from, name), join(folder, name));
}

/** Files of a model folder that stay byte for byte as they are: the tokenizer's and generation_config.json. */
export function keptFiles(folder: string): string[] {
  return [...tokenizerFileNames, 'generation_config.json'].filter((name) => existsSync(join(folder, name)));
}

/** config.json for weights in a number format. */
export function describeConfig({ family, json }: ModelConfig, dtype: string): Record<string, unknown> {
  return { architectures: [family.architecture], ...json, torch_dtype: dtype, dtype, use_cache: true };
}

/** Writes config.json alone: next to an adapter it tells what its base is. */
export function saveModelConfig(folder: string, config: ModelConfig, dtype: StorageDtype): void {
  saveWholeFile(join(folder, 'config.json'), toJson(describeConfig(config, dtype)));
}

/** A file of JSON as Hugging Face's tools write it. */
export const toJson = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;

interface PlacedWeight {
  readonly file: SafetensorsFile;
  readonly entry: SafetensorsEntry;
}

/** Finds each weight in the one file of a folder, or in its shards. */
function findWeights(folder: string, open: (path: string) => SafetensorsFile): Map<string, PlacedWeight> {
  const single = join(folder, 'model.safetensors');
  const indexPath = join(folder, 'model.safetensors.index.json');
  const found = new Map<string, PlacedWeight>();
  const place = (file: SafetensorsFile, name: string): boolean => {
    const entry = file.entries.get(name);
    if (entry === undefined) return false;
    requireFloat(folder, entry);
    found.set(name, { file, entry });
    return true;
  };
  if (existsSync(single)) {
    const file = open(single);
    for (const name of file.entries.keys()) place(file, name);
    return found;
  }
  if (!existsSync(indexPath)) {
    const shard = readdirSync(folder).find((name) => /^model-\d+-of-\d+\.safetensors$/.test(name));
    throw malformed(
      folder,
      shard === undefined
        ? 'there is no model.safetensors and no model.safetensors.index.json; download the weights in this format, or import a GGUF file with `espalier model import`'
        : `there are shards, such as ${shard}, and no model.safetensors.index.json that says what is in which; copy or download it, too`,
    );
  }
  const index = (loadModelJson(indexPath) as { weight_map?: unknown } | null)?.weight_map;
  if (typeof index !== 'object' || index === null)
    throw malformed(
      indexPath,
      'there is no "weight_map" from names to files; copy or download the file again',
    );
  const entries = Object.entries(index as Record<string, unknown>);
  for (const shard of new Set(entries.map(([, name]) => name))) {
    if (typeof shard !== 'string' || !isSafeName(shard) || !existsSync(join(folder, shard)))
      throw malformed(
        indexPath,
        `the file ${JSON.stringify(shard)} is not in the folder; copy or download it again`,
      );
    const file = open(join(folder, shard));
    for (const [name, its] of entries) {
      if (its === shard && !place(file, name))
        throw malformed(
          indexPath,
          `"${name}" is said to be in ${shard}, which does not have it; the files are of different models: copy or download all of one`,
        );
    }
  }
  return found;
}

function checkShapes(
  folder: string,
  config: ModelConfig,
  shapes: ReadonlyMap<string, readonly number[]>,
): void {
  const expected = parameterShapes(config);
  const missing = [...expected.keys()].filter((name) => !shapes.has(name));
  const unexpected = [...shapes.keys()].filter((name) => !expected.has(name));
  if (missing.length > 0 || unexpected.length > 0) {
    const list = (names: string[]) =>
      names.length === 0
        ? 'none'
        : `${names.slice(0, 3).join(', ')}${names.length > 3 ? `, … (${names.length})` : ''}`;
    throw malformed(
      folder,
      `the weights are not those of config.json: missing ${list(missing)}; unexpected ${list(unexpected)}; copy or download all files of one model`,
    );
  }
  for (const [name, shape] of expected) {
    const found = shapes.get(name)!;
    if (found.join() !== shape.join()) {
      throw malformed(
        folder,
        `weight "${name}" has the shape [${found.join(', ')}]; config.json asks for [${shape.join(', ')}]; copy or download all files of one model`,
      );
    }
  }
}

const malformed = (path: string, finding: string, cause?: unknown) =>
  new AppError('model.malformed_config', `${path}: ${finding}`, { details: { path }, cause });
