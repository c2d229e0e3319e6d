/** @file A base and its adapter as one model: W + scale · B·A, as files. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { AppError } from '@espalier/contracts';
import { convertModelFolder, type ConvertOptions } from '../weights/convert-folder.js';
import { keptFiles, type StorageDtype } from '../weights/model-folder.js';
import { listDocuments } from '../weights/model-documents.js';
import { loadModelConfig } from '../weights/model-config.js';
import { type NewFile, writeFolder, type WriteOptions } from '../weights/write-folder.js';
import {
  ADAPTER_CONFIG,
  ADAPTER_WEIGHTS,
  encodeAdapterWeights,
  loadAdapter,
  requireBase,
} from './adapter-folder.js';
import { addLora } from './adapted-folder.js';
import { loraScale } from './lora-config.js';

/**
 * Writes a base with an adapter merged into it; tokenizer, terms and what a warm start taught are the base's.
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
 * Writes a copy of an adapter; its configuration, tokenizer and documents stay as they are.
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
  // a checkpoint of a run with LoRA has the base's, by which it is opened as a model
  const configs = existsSync(join(folder, 'config.json')) ? ['config.json'] : [];
  const documents = listDocuments(folder, { isChanged: false });
  const kept = [ADAPTER_CONFIG, ...configs, ...keptFiles(folder), ...documents];
  const files = new Map<string, NewFile>([
    ...kept.map((name): [string, NewFile] => [name, { copyOf: join(folder, name) }]),
    [ADAPTER_WEIGHTS, { bytes, pieces: parts }],
  ]);
  await writeFolder(target, files, options);
}
