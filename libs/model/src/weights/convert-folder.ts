/** @file A model folder in another number format, piece by piece; its tokenizer and documents stay as they are. */
import { join } from 'node:path';
import { openModelFolder } from '../adapters/adapted-folder.js';
import { streamedBytes, streamSafetensors, type StreamedTensor } from './encode-safetensors.js';
import { describeConfig, keptFiles, storageDtypes, type StorageDtype, toJson } from './model-folder.js';
import { listDocuments } from './model-documents.js';
import { type NewFile, writeFolder, type WriteOptions } from './write-folder.js';

/** Most numbers of a piece. */
const pieceSize = 1 << 20;

export interface ConvertOptions extends WriteOptions {
  readonly dtype: StorageDtype;
  /** of an adapter: the model it was trained on */
  readonly base?: string | undefined;
  /** Changes numbers of a weight in place; `from` is the index of the first. */
  readonly change?: (name: string, piece: Float32Array, from: number) => void;
}

/**
 * Writes a copy of a model folder with its documents; of an adapter, its base with the adapter merged.
 *
 * @param target must not exist, or be empty
 * @throws model.* of the folder; model.folder_exists, model.disk_full; contracts.invalid_value for a number that does
 *   not fit the format
 */
export async function convertModelFolder(
  folder: string,
  target: string,
  { dtype, base, change, ...options }: ConvertOptions,
): Promise<void> {
  const { config, shapes, read, close } = openModelFolder(folder, base);
  const readChanged: typeof read = (name, piece, from = 0) => {
    read(name, piece, from);
    change?.(name, piece, from);
  };
  try {
    const tensors = new Map<string, StreamedTensor>();
    for (const [name, shape] of shapes)
      tensors.set(name, {
        dtype: storageDtypes[dtype],
        shape,
        pieces: () => pieces(name, shape, readChanged),
      });
    const metadata = { format: 'pt' };
    const documents = listDocuments(folder, { isChanged: change !== undefined || base !== undefined });
    const files = new Map<string, NewFile>([
      ['config.json', toJson(describeConfig(config, dtype))],
      ...[...keptFiles(folder), ...documents].map((name): [string, NewFile] => [
        name,
        { copyOf: join(folder, name) },
      ]),
      [
        'model.safetensors',
        { bytes: streamedBytes(tensors, metadata), pieces: streamSafetensors(tensors, metadata) },
      ],
    ]);
    await writeFolder(target, files, options);
  } finally {
    close();
  }
}

function* pieces(
  name: string,
  shape: readonly number[],
  read: (name: string, target: Float32Array, from: number) => void,
): Iterable<Float32Array> {
  const size = shape.reduce((product, extent) => product * extent, 1);
  for (let from = 0; from < size; from += pieceSize) {
    const piece = new Float32Array(Math.min(pieceSize, size - from));
    read(name, piece, from);
    yield piece;
  }
}
