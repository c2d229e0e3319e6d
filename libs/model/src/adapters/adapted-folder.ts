/** @file A model folder, or an adapter together with its base: a policy of LoRA is opened like any other model. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { AppError } from '@espalier/contracts';
import {
  loadWeights,
  type ModelFolder,
  type OpenedModel,
  openModelFolder as openWholeFolder,
} from '../weights/model-folder.js';
import {
  isAdapterFolder,
  type LoadedAdapter,
  loadAdapter,
  type LoraLayer,
  requireBase,
} from './adapter-folder.js';
import { loraScale } from './lora-config.js';

/** Tells whether a folder has an adapter and no weights of its own, so that it is a model only with its base. */
export function needsBase(folder: string): boolean {
  const isWhole = ['model.safetensors', 'model.safetensors.index.json'].some((name) =>
    existsSync(join(folder, name)),
  );
  return !isWhole && isAdapterFolder(folder);
}

/** An adapter and the whole model it was trained on. */
export interface AdaptedModel {
  readonly adapter: LoadedAdapter;
  /** to be closed */
  readonly base: OpenedModel;
}

/**
 * Opens an adapter and its base. What adapter_config.json names is not opened: it is a path of another machine, or one
 * that whoever wrote the file may not read.
 *
 * @param baseFolder a whole model
 * @throws as `openModelFolder` and `loadAdapter`; model.adapter_mismatch when the base is not given or another
 */
export function openAdapted(folder: string, baseFolder: string | undefined): AdaptedModel {
  const adapter = loadAdapter(folder);
  if (baseFolder === undefined) {
    const { name } = adapter.base;
    const known = name === undefined ? '' : ` (${name}, as it says)`;
    throw new AppError(
      'model.adapter_mismatch',
      `${folder}: it is an adapter, and its base is not given; name the model that it was trained on${known}, or merge it with \`espalier model merge\``,
      { details: { adapter: folder, base: name } },
    );
  }
  const base = openWholeFolder(baseFolder);
  try {
    requireBase(adapter, folder, base.config, baseFolder);
  } catch (error) {
    base.close();
    throw error;
  }
  return { adapter, base };
}

/**
 * Opens a model folder; an adapter is added to the weights of its base as they are read.
 *
 * @param baseFolder of an adapter
 * @returns to be closed
 * @throws as {@link openAdapted}
 */
export function openModelFolder(folder: string, baseFolder?: string): OpenedModel {
  if (!needsBase(folder)) return openWholeFolder(folder);
  const { adapter, base } = openAdapted(folder, baseFolder);
  const scale = loraScale(adapter.config);
  return {
    ...base,
    read(weight, target, from) {
      base.read(weight, target, from);
      const layer = adapter.layers.get(weight.slice(0, -'.weight'.length));
      if (layer !== undefined) addLora(target, layer, scale, from);
    },
  };
}

/**
 * Reads configuration and weights of a model folder, or of an adapter and its base.
 *
 * @throws as {@link openModelFolder}; model.malformed_safetensors also for NaN and infinity
 */
export function loadModelFolder(folder: string, base?: string): ModelFolder {
  return loadWeights(openModelFolder(folder, base));
}

/**
 * Adds scale · B·A to numbers of a weight W [out, in], summed in float64 and rounded once.
 *
 * @param weight numbers of W in order, changed in place
 * @param from index in W of the first of them
 */
export function addLora(weight: Float32Array, { a, b }: LoraLayer, scale: number, from = 0): void {
  const [rank = 0, columns = 0] = a.shape;
  const sums = new Float64Array(columns);
  for (let at = 0; at < weight.length;) {
    const row = Math.floor((from + at) / columns);
    const begin = from + at - row * columns;
    const end = Math.min(columns, begin + weight.length - at);
    sums.fill(0);
    for (let r = 0; r < rank; r++) {
      const factor = scale * b.data[row * rank + r]!;
      if (factor === 0) continue;
      const offset = r * columns;
      for (let i = begin; i < end; i++) sums[i]! += factor * a.data[offset + i]!;
    }
    for (let i = begin; i < end; i++, at++) weight[at]! += sums[i]!;
  }
}
