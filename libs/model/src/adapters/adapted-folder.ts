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
import { isAdapterFolder, loadAdapter, type LoraLayer, requireBase } from './adapter-folder.js';
import { loraScale } from './lora-config.js';

/**
 * Opens a model folder; for an adapter, its base as adapter_config.json names it, to whose weights the adapter is added as
 * they are read.
 *
 * @returns to be closed
 * @throws as `openModelFolder` and `loadAdapter`; model.adapter_mismatch when the base is missing or another
 */
export function openModelFolder(folder: string): OpenedModel {
  const isWhole = ['model.safetensors', 'model.safetensors.index.json'].some((name) =>
    existsSync(join(folder, name)),
  );
  if (isWhole || !isAdapterFolder(folder)) return openWholeFolder(folder);
  const adapter = loadAdapter(folder);
  const { name = '' } = adapter.base;
  if (!existsSync(join(name, 'config.json')))
    throw new AppError(
      'model.adapter_mismatch',
      `${folder}: its base "${name}" is not here; restore that folder, or merge the adapter into a copy of it with \`espalier model merge\``,
      { details: { adapter: folder, base: name } },
    );
  const base = openModelFolder(name);
  try {
    requireBase(adapter, folder, base.config, name);
  } catch (error) {
    base.close();
    throw error;
  }
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
export function loadModelFolder(folder: string): ModelFolder {
  return loadWeights(openModelFolder(folder));
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
