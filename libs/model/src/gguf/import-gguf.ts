/** @file From a GGUF file to a model folder in Hugging Face's layout, piece by piece. */
import { streamedBytes, streamSafetensors, type StreamedTensor } from '../weights/encode-safetensors.js';
import { storageDtypes, type StorageDtype, toJson } from '../weights/model-folder.js';
import { requireNew } from '../weights/staged-path.js';
import { type NewFile, writeFolder, type WriteOptions } from '../weights/write-folder.js';
import { describeTokenizerFiles } from '../tokenizer/tokenizer-folder.js';
import { openGgufModel } from './gguf-model.js';

export interface ImportOptions extends WriteOptions {
  /** format of the weights that are written */
  readonly dtype: StorageDtype;
  /** replaces the chat template of the file */
  readonly template?: string;
}

/**
 * Converts a GGUF file; quantized numbers are widened.
 *
 * @param path of the file, or of the first of its parts
 * @param folder must not exist, or be empty
 * @throws model.malformed_gguf, model.unsupported_gguf, model.unsupported_config, model.malformed_tokenizer,
 *   model.folder_exists, model.disk_full
 */
export async function importGguf(
  path: string,
  folder: string,
  { dtype, template, ...options }: ImportOptions,
): Promise<void> {
  requireNew(folder);
  const { config, tokenizer, stopTokens, weights, close } = openGgufModel(path, { template });
  try {
    const tensors = new Map<string, StreamedTensor>(
      [...weights].map(([name, { shape, pieces }]) => [name, { dtype: storageDtypes[dtype], shape, pieces }]),
    );
    const { bos_token_id = null, pad_token_id = null } = config.json;
    const eos_token_id = stopTokens.length > 1 ? stopTokens : (stopTokens[0] ?? null);
    const metadata = { format: 'pt' };
    const files = new Map<string, NewFile>([
      ['config.json', toJson({ ...config.json, torch_dtype: dtype, dtype, use_cache: true })],
      ['generation_config.json', toJson({ bos_token_id, eos_token_id, pad_token_id })],
      ...describeTokenizerFiles({
        tokenizer: tokenizer.tokenizer,
        config: { ...tokenizer.config, model_max_length: config.shape.contextLength },
      }),
      [
        'model.safetensors',
        { bytes: streamedBytes(tensors, metadata), pieces: streamSafetensors(tensors, metadata) },
      ],
    ]);
    await writeFolder(folder, files, options);
  } finally {
    close();
  }
}
