/**
 * @file A LoRA adapter on disk in PEFT's layout: adapter_config.json and adapter_model.safetensors. The sha256 of the
 * base's weights stands in the metadata of the weights, so that an adapter is not used with another base.
 */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { basename, join, resolve, sep } from 'node:path';
import { AppError } from '@espalier/contracts';
import { hashFile, saveWholeFile } from '@espalier/files';
import type { ModelConfig } from '../families/model-family.js';
import { encodeSafetensorsParts } from '../weights/encode-safetensors.js';
import { loadModelJson } from '../weights/model-config.js';
import {
  requireFinite,
  storageDtypes,
  type StorageDtype,
  toJson,
  type Weight,
} from '../weights/model-folder.js';
import { isFloat, openSafetensors, type SafetensorsFile } from '../weights/safetensors-file.js';
import {
  type AdapterJson,
  describeLoraConfig,
  isTargeted,
  type LoraConfig,
  parseAdapterJson,
  readLoraConfig,
  targetedLayers,
} from './lora-config.js';

/** Name of an adapter's configuration; a folder that has it is an adapter. */
export const ADAPTER_CONFIG = 'adapter_config.json';
/** Name of an adapter's weights. */
export const ADAPTER_WEIGHTS = 'adapter_model.safetensors';

/** The two factors of one layer's change. */
export interface LoraLayer {
  /** [rank, in] */
  readonly a: Weight;
  /** [out, rank] */
  readonly b: Weight;
}

/** The model that an adapter was trained on, as far as it is recorded. */
export interface AdapterBase {
  /** path, or owner/name on a hub */
  readonly name?: string | undefined;
  /** commit on the hub */
  readonly revision?: string | undefined;
  /** of its weights, see {@link hashBase} */
  readonly sha256?: string | undefined;
}

export interface LoraAdapter {
  readonly config: LoraConfig;
  readonly base: AdapterBase;
  /** by the names of the layers, as `model.layers.0.self_attn.q_proj` */
  readonly layers: ReadonlyMap<string, LoraLayer>;
}

/** An adapter as it was read. */
export interface LoadedAdapter extends LoraAdapter {
  /** all of adapter_config.json */
  readonly json: AdapterJson;
  /** number formats in the file, by how many numbers have them */
  readonly formats: Readonly<Record<string, number>>;
}

/** Tells whether a folder holds an adapter. */
export const isAdapterFolder = (folder: string): boolean => existsSync(join(folder, ADAPTER_CONFIG));

/** Computes the sha256 of a base's weights: of the names and sha256 of its safetensors files. */
export function hashBase(folder: string): string {
  const names = readdirSync(folder).filter((name) => /^model.*\.safetensors$/.test(name));
  const files = names.sort().map((name) => [name, hashFile(join(folder, name))]);
  return createHash('sha256').update(JSON.stringify(files)).digest('hex');
}

/**
 * Reads and checks an adapter.
 *
 * @throws model.malformed_adapter (files, tensors), model.unsupported_adapter (what adapter_config.json says),
 *   model.malformed_safetensors, also for NaN and infinity
 */
export function loadAdapter(folder: string): LoadedAdapter {
  const path = join(folder, ADAPTER_CONFIG);
  if (!existsSync(path))
    throw malformed(folder, `there is no ${ADAPTER_CONFIG}; name a folder that PEFT or Espalier saved`);
  const json = parseAdapterJson(loadModelJson(path), (finding) => {
    throw new AppError('model.unsupported_adapter', `${path}: ${finding}`, { details: { path } });
  });
  const config = readLoraConfig(json);
  const file = openWeights(folder);
  try {
    const layers = readLayers(folder, file, config);
    const base = {
      name: json.base_model_name_or_path ?? undefined,
      revision: json.revision ?? undefined,
      sha256: file.metadata[baseKey],
    };
    return { config, base, layers, json, formats: countFormats(file) };
  } finally {
    file.close();
  }
}

export interface SaveAdapterOptions extends LoraAdapter {
  readonly dtype: StorageDtype;
}

/**
 * Writes an adapter in PEFT's layout; each file appears whole or not at all, the weights last.
 *
 * @throws contracts.invalid_value when a tensor does not fill its shape or does not fit the dtype
 */
export function saveAdapter(folder: string, adapter: SaveAdapterOptions): void {
  const parts = encodeAdapterWeights(adapter);
  mkdirSync(folder, { recursive: true });
  saveWholeFile(join(folder, ADAPTER_CONFIG), toJson(describeLoraConfig(adapter.config, adapter.base)));
  saveWholeFile(join(folder, ADAPTER_WEIGHTS), parts);
}

const baseKey = 'espalier.base_sha256';

/** Encodes the weights of an adapter. @throws contracts.invalid_value */
export function encodeAdapterWeights({ layers, base, dtype }: SaveAdapterOptions): Iterable<Uint8Array> {
  const tensors = new Map(
    [...layers].flatMap(([name, { a, b }]) => [
      [tensorName(name, 'A'), { dtype: storageDtypes[dtype], shape: a.shape, data: a.data }] as const,
      [tensorName(name, 'B'), { dtype: storageDtypes[dtype], shape: b.shape, data: b.data }] as const,
    ]),
  );
  return encodeSafetensorsParts(tensors, {
    format: 'pt',
    ...(base.sha256 === undefined ? {} : { [baseKey]: base.sha256 }),
  });
}

/**
 * Makes sure that an adapter belongs to a base: the layers it changes exist there with their shapes, and the base's weights
 * are those that it was trained on where that is recorded.
 *
 * @param base the base's folder
 * @throws model.adapter_mismatch
 */
export function requireBase(adapter: LoraAdapter, source: string, model: ModelConfig, base: string): void {
  const { name, sha256 } = adapter.base;
  const refuse = (finding: string): never => {
    const remedy =
      name === undefined
        ? 'name the model that it was trained on'
        : `it was trained on ${name}; name that model`;
    throw new AppError('model.adapter_mismatch', `${source}: ${finding}; ${remedy}`, {
      details: { adapter: source, base, ...adapter.base },
    });
  };
  const expected = targetedLayers(model, adapter.config.targets);
  for (const [layer, { a, b }] of adapter.layers) {
    const shape = expected.get(layer);
    if (shape === undefined) return refuse(`it changes "${layer}", which is no linear layer of ${base}`);
    const [rows, columns] = [b.shape[0], a.shape[1]];
    if (rows !== shape[0] || columns !== shape[1])
      refuse(`it changes "${layer}" as [${rows}, ${columns}], which is [${shape.join(', ')}] in ${base}`);
  }
  const missing = [...expected.keys()].find((layer) => !adapter.layers.has(layer));
  if (missing !== undefined)
    refuse(`it has no weights for "${missing}" of ${base}, which its target_modules name`);
  const hub = hubNameOf(base);
  if (hub !== undefined && name !== undefined && isHubName(name) && hub.toLowerCase() !== name.toLowerCase())
    refuse(`${base} is ${hub}`);
  if (sha256 !== undefined && hashBase(base) !== sha256)
    refuse(`the weights of ${base} are not those that it was trained on (their sha256 differs)`);
}

const isHubName = (name: string): boolean => /^[\w-][\w.-]*\/[\w.-]+$/.test(name) && !existsSync(name);

/** The name of a model in the cache of Hugging Face's tools. */
function hubNameOf(folder: string): string | undefined {
  const parts = resolve(folder).split(sep);
  const [marker, owner, ...name] = (parts[parts.lastIndexOf('snapshots') - 1] ?? '').split('--');
  return marker === 'models' && owner !== undefined ? `${owner}/${name.join('--')}` : undefined;
}

type Factor = 'A' | 'B';

const tensorName = (layer: string, factor: Factor): string =>
  `base_model.model.${layer}.lora_${factor}.weight`;

function openWeights(folder: string): SafetensorsFile {
  const path = join(folder, ADAPTER_WEIGHTS);
  if (existsSync(path)) return openSafetensors(path);
  const hasPickle = existsSync(join(folder, 'adapter_model.bin'));
  const remedy = hasPickle
    ? 'adapter_model.bin is not read; save the adapter with safe_serialization=True'
    : 'copy or download the adapter again';
  throw malformed(folder, `there is no ${ADAPTER_WEIGHTS}; ${remedy}`);
}

function readLayers(folder: string, file: SafetensorsFile, config: LoraConfig): Map<string, LoraLayer> {
  const names = new Set<string>();
  for (const [tensor, entry] of file.entries) {
    const [, layer = ''] = /^base_model\.model\.(.+)\.lora_[AB]\.weight$/.exec(tensor) ?? [];
    if (layer === '')
      throw malformed(
        folder,
        `tensor "${tensor}" is neither lora_A nor lora_B of a layer; only these are supported`,
      );
    if (!isFloat(entry))
      throw malformed(
        folder,
        `tensor "${tensor}" has the dtype ${entry.dtype}; expected floating-point numbers, save the adapter in one of these formats`,
      );
    if (!isTargeted(layer, config.targets))
      throw malformed(
        folder,
        `tensor "${tensor}" is of a layer that target_modules does not name; copy both files of one adapter`,
      );
    names.add(layer);
  }
  if (names.size === 0) throw malformed(folder, `${ADAPTER_WEIGHTS} is empty; copy the adapter again`);
  const read = (layer: string, factor: Factor): Weight => {
    const name = tensorName(layer, factor);
    const entry = file.entries.get(name) ?? missing(folder, name);
    const { shape } = entry;
    const rank = shape[factor === 'A' ? 0 : 1];
    if (shape.length !== 2 || rank !== config.rank)
      throw malformed(
        folder,
        `tensor "${name}" has the shape [${shape.join(', ')}]; the rank is ${config.rank}; copy both files of one adapter`,
      );
    const data = new Float32Array(shape.reduce((size, extent) => size * extent, 1));
    file.readFloats(entry, data);
    requireFinite(folder, name, data);
    return { data, shape };
  };
  return new Map([...names].map((layer) => [layer, { a: read(layer, 'A'), b: read(layer, 'B') }]));
}

function countFormats({ entries }: SafetensorsFile): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { dtype, shape } of entries.values())
    counts[dtype] = (counts[dtype] ?? 0) + shape.reduce((size, extent) => size * extent, 1);
  return counts;
}

function missing(folder: string, name: string): never {
  throw malformed(folder, `tensor "${name}" is missing; copy or download the adapter again`);
}

const malformed = (folder: string, finding: string): AppError =>
  new AppError('model.malformed_adapter', `${folder}: ${finding}`, {
    details: { path: folder, name: basename(folder) },
  });
