/** @file The adapters of a policy as PEFT's files. */
import { resolve } from 'node:path';
import { AppError } from '@espalier/contracts';
import type { ModelConfig } from '@espalier/model';
import {
  type AdapterBase,
  hashBase,
  loadAdapter,
  type LoraConfig,
  loraName,
  saveAdapter,
  saveModelConfig,
} from '@espalier/model/adapters';
import type { ParameterStore } from './parameter-store.js';

/** What the files of an adapter say besides its weights. */
export interface AdapterFiles {
  readonly model: ModelConfig;
  readonly config: LoraConfig;
  /** folder of the base; absent for weights in memory */
  readonly folder: string | undefined;
  /** what people and PEFT find the base by; default: its folder */
  readonly base?: Pick<AdapterBase, 'name' | 'revision'> | undefined;
}

/** hashing a base reads all of it, so once is enough: an engine never reads it again */
const hashes = new WeakMap<AdapterFiles, string>();

function hashOf(adapter: AdapterFiles): string | undefined {
  if (adapter.folder === undefined) return undefined;
  const known = hashes.get(adapter) ?? hashBase(adapter.folder);
  hashes.set(adapter, known);
  return known;
}

/** Writes the adapters of a store, and the base's config.json, so that the folder is known as a model. */
export function saveAdapterOf(folder: string, store: ParameterStore, adapter: AdapterFiles): void {
  const paths = store.names.flatMap((name) => /^(.+)\.lora_A\.weight$/.exec(name)?.[1] ?? []);
  saveModelConfig(folder, adapter.model, 'float32');
  saveAdapter(folder, {
    config: adapter.config,
    base: {
      ...(adapter.base ?? { name: adapter.folder === undefined ? undefined : resolve(adapter.folder) }),
      sha256: hashOf(adapter),
    },
    layers: new Map(
      paths.map((path) => [
        path,
        { a: store.weight(loraName(path, 'A')), b: store.weight(loraName(path, 'B')) },
      ]),
    ),
    dtype: 'float32',
  });
}

/**
 * Reads adapters into a flat array of a store.
 *
 * @throws model.* of a folder that cannot be used; model.adapter_mismatch when its options or its base are others
 */
export function loadAdapterInto(
  flat: Float32Array,
  folder: string,
  store: ParameterStore,
  adapter: AdapterFiles,
): void {
  const { config, base, layers } = loadAdapter(folder);
  for (const key of ['rank', 'alpha', 'rankStabilized'] as const)
    if (config[key] !== adapter.config[key])
      throw mismatch(
        folder,
        `its ${key} is ${config[key]}, not ${adapter.config[key]}; set lora.${key} to it`,
      );
  const hash = hashOf(adapter);
  if (hash !== undefined && base.sha256 !== undefined && base.sha256 !== hash)
    throw mismatch(folder, `it was trained on other weights than those in ${adapter.folder}; restore them`);
  const arrays = new Map(
    [...layers].flatMap(([path, { a, b }]) => [
      [loraName(path, 'A'), a] as const,
      [loraName(path, 'B'), b] as const,
    ]),
  );
  const foreign = [...arrays.keys()].find((name) => !store.names.includes(name));
  if (foreign !== undefined)
    throw mismatch(folder, `it has "${foreign}", which is not trained here; set lora.targets to its own`);
  const shapes = new Map([...arrays].map(([name, { shape }]) => [name, shape]));
  store.fill(flat, shapes, (name, target) => target.set(arrays.get(name)?.data ?? []), folder);
}

const mismatch = (folder: string, finding: string): AppError =>
  new AppError('model.adapter_mismatch', `load adapter "${folder}": ${finding}`, {
    details: { adapter: folder },
  });
