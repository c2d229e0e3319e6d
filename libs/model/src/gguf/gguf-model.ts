/** @file A GGUF file as a model: its configuration, its tokenizer, and its weights in the order of Hugging Face. */
import { createTokenizer } from '../tokenizer/tokenizer.js';
import type { TokenizerFiles } from '../tokenizer/train-tokenizer.js';
import { parseModelConfig } from '../families/families.js';
import type { ModelConfig } from '../families/model-family.js';
import { OUTPUT_HEAD, parameterShapes } from '../model-weights.js';
import { malformedGguf } from './byte-cursor.js';
import { type GgufFile, openGguf, openGgufBytes } from './gguf-file.js';
import {
  describeConfig,
  findArchitecture,
  type GgufArchitecture,
  isRotated,
  parameterNameOf,
} from './gguf-architecture.js';
import { GgufMetadata } from './gguf-metadata.js';
import { describeTokenizer, findStopTokens } from './gguf-tokenizer.js';
import { type GgufTensor, unsupportedGguf } from './parse-gguf.js';
import { fromInterleaved } from './row-order.js';

/** Most numbers of a piece. */
const pieceSize = 1 << 20;

/** A weight that is read piece by piece. */
export interface GgufWeight {
  readonly shape: readonly number[];
  /** name of its number format */
  readonly format: string;
  /** @throws model.malformed_gguf at NaN and infinity */
  pieces(): Iterable<Float32Array>;
}

/** A GGUF file whose metadata have been checked and whose weights are still on disk. */
export interface GgufModel {
  readonly config: ModelConfig;
  readonly tokenizer: TokenizerFiles;
  /** ids that end a turn */
  readonly stopTokens: readonly number[];
  /** by the names of Hugging Face's checkpoints */
  readonly weights: ReadonlyMap<string, GgufWeight>;
  close(): void;
}

/**
 * Opens a GGUF file and checks everything but its weights.
 *
 * @param from its path or its bytes
 * @param template replaces the chat template of the file
 * @returns to be closed
 * @throws model.malformed_gguf, model.unsupported_gguf, model.unsupported_config, model.malformed_tokenizer
 */
export function openGgufModel(from: string | Uint8Array, template?: string): GgufModel {
  const file = typeof from === 'string' ? openGguf(from) : openGgufBytes(from, 'GGUF file');
  const { path } = file;
  try {
    const metadata = new GgufMetadata(file, path);
    const architecture = findArchitecture(metadata);
    const config = parseModelConfig(describeConfig(architecture, metadata, file.tensors), path);
    const tokenizer = describeTokenizer(metadata, template);
    createTokenizer(tokenizer, path);
    const weights = findWeights(file, config, architecture);
    return { config, tokenizer, stopTokens: findStopTokens(metadata), weights, close: () => file.close() };
  } catch (error) {
    file.close();
    throw error;
  }
}

function findWeights(
  file: GgufFile,
  config: ModelConfig,
  { id, isInterleaved }: GgufArchitecture,
): Map<string, GgufWeight> {
  const expected = parameterShapes(config);
  const weights = new Map<string, GgufWeight>();
  for (const tensor of file.tensors.values()) {
    const name = parameterNameOf(tensor.name);
    const shape = name === undefined ? undefined : expected.get(name);
    if (name === undefined || shape === undefined)
      throw unsupportedGguf(file.path, `tensor "${tensor.name}" is not one of the architecture "${id}"`);
    if (shape.join() !== tensor.shape.join())
      throw unsupportedGguf(
        file.path,
        `tensor "${tensor.name}" has the shape [${tensor.shape.join(', ')}]; the metadata ask for [${shape.join(', ')}]`,
      );
    const headSize = isInterleaved && isRotated(name) ? config.shape.headSize : undefined;
    const pieces = (): Iterable<Float32Array> => readPieces(file, tensor, headSize);
    weights.set(name, { shape, format: tensor.type.name, pieces });
  }
  const missing = [...expected.keys()].find((name) => !weights.has(name));
  if (missing !== undefined)
    throw malformedGguf(file.path, `the tensor of "${missing}" is missing; copy or download the file again`);
  if (config.shape.isTied && weights.has(OUTPUT_HEAD)) weights.delete(OUTPUT_HEAD);
  return weights;
}

/** Reads whole rows, or whole heads where their rows lie in another order. */
function* readPieces(
  file: GgufFile,
  tensor: GgufTensor,
  headSize: number | undefined,
): Iterable<Float32Array> {
  const { shape } = tensor;
  const width = shape.length === 1 ? 1 : shape.at(-1)!;
  const size = shape.reduce((product, extent) => product * extent, 1);
  const rows = headSize ?? Math.max(1, Math.floor(pieceSize / width));
  const step = shape.length === 1 && headSize === undefined ? size : rows * width;
  for (let from = 0; from < size; from += step) {
    const piece = new Float32Array(Math.min(step, size - from));
    file.read(tensor, from, piece);
    requireFinite(file.path, tensor.name, piece, from);
    yield headSize === undefined ? piece : fromInterleaved(piece, headSize, width);
  }
}

function requireFinite(path: string, name: string, piece: Float32Array, from: number): void {
  for (let i = 0; i < piece.length; i++) {
    if (Number.isFinite(piece[i])) continue;
    throw malformedGguf(
      path,
      `tensor "${name}" is ${piece[i]} at index ${from + i}; expected finite numbers, copy or download the file again`,
    );
  }
}
