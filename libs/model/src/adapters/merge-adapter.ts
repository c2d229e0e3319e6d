/** @file A base and its adapter as one model: W + scale · B·A, summed in float64 and rounded once. */
import { join } from 'node:path';
import { AppError } from '@espalier/contracts';
import { convertModelFolder, type ConvertOptions } from '../weights/convert-folder.js';
import { keptFiles, type StorageDtype } from '../weights/model-folder.js';
import { loadModelConfig } from '../weights/model-config.js';
import { type NewFile, writeFolder, type WriteOptions } from '../weights/write-folder.js';
import {
  ADAPTER_CONFIG,
  ADAPTER_WEIGHTS,
  encodeAdapterWeights,
  loadAdapter,
  type LoraLayer,
  requireBase,
} from './adapter-folder.js';
import { loraScale } from './lora-config.js';

/**
 * Adds scale · B·A to numbers of a weight W [out, in].
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

/**
 * Writes a base with an adapter merged into it; the tokenizer is the base's.
 *
 * @param target must not exist, or be empty
 * @throws as `loadAdapter`, `requireBase` and `convertModelFolder`
 */
export async function mergeAdapter(
  base: string,
  adapterFolder: string,
  target: string,
  options: ConvertOptions,
): Promise<void> {
  const adapter = loadAdapter(adapterFolder);
  requireBase(adapter, adapterFolder, loadModelConfig(base), base);
  const scale = loraScale(adapter.config);
  await convertModelFolder(base, target, {
    ...options,
    change(name, piece, from) {
      const layer = adapter.layers.get(name.slice(0, -'.weight'.length));
      if (layer === undefined) return;
      addLora(piece, layer, scale, from);
      const at = piece.findIndex((value) => !Number.isFinite(value));
      if (at >= 0)
        throw new AppError(
          'model.malformed_adapter',
          `${adapterFolder}: merged into "${name}" it gives ${piece[at]} at ${from + at}; the adapter has diverged, use an earlier one`,
        );
    },
  });
}

/**
 * Writes a copy of an adapter; all files but the weights stay as they are.
 *
 * @throws as `loadAdapter`; model.folder_exists, model.disk_full; contracts.invalid_value
 */
export async function convertAdapter(
  folder: string,
  target: string,
  { dtype, ...options }: WriteOptions & { readonly dtype: StorageDtype },
): Promise<void> {
  const adapter = loadAdapter(folder);
  const parts = [...encodeAdapterWeights({ ...adapter, dtype })];
  const bytes = parts.reduce((sum, part) => sum + part.length, 0);
  const files = new Map<string, NewFile>([
    ...[ADAPTER_CONFIG, ...keptFiles(folder)].map((name): [string, NewFile] => [
      name,
      { copyOf: join(folder, name) },
    ]),
    [ADAPTER_WEIGHTS, { bytes, pieces: parts }],
  ]);
  await writeFolder(target, files, options);
}
