/** @file A GGUF file, or several, as a model: its configuration, its tokenizer, and its weights in the order of Hugging Face. */
import { AppError } from '@espalier/contracts';
import { createTokenizer, templateText, type TokenizerOptions } from '../tokenizer/tokenizer.js';
import type { TokenizerFiles } from '../tokenizer/train-tokenizer.js';
import { parseModelConfig } from '../families/families.js';
import type { ModelConfig } from '../families/model-family.js';
import { OUTPUT_HEAD, parameterShapes } from '../model-weights.js';
import { malformedGguf } from './byte-cursor.js';
import { type GgufFile, openGgufBytes } from './gguf-file.js';
import { openGgufParts } from './gguf-parts.js';
import { findArchitecture, type GgufArchitecture, isRotated, parameterNameOf } from './gguf-architecture.js';
import { describeConfig, ROTARY_FACTORS } from './gguf-config.js';
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

export interface GgufModelOptions extends TokenizerOptions {
  /** replaces the chat template of the file */
  readonly template?: string | undefined;
}

/**
 * Opens a GGUF file and checks everything but its weights.
 *
 * @param from its path, or that of the first of its parts, or its bytes
 * @returns to be closed
 * @throws model.malformed_gguf, model.unsupported_gguf, model.unsupported_config, model.malformed_tokenizer
 */
export function openGgufModel(
  from: string | Uint8Array,
  { template, needsTemplate = true }: GgufModelOptions = {},
): GgufModel {
  const file = typeof from === 'string' ? openGgufParts(from) : openGgufBytes(from, 'GGUF file');
  const { path } = file;
  try {
    const metadata = new GgufMetadata(file, path);
    const architecture = findArchitecture(metadata);
    const parts = { metadata, tensors: file.tensors, rotaryFactors: readVector(file, ROTARY_FACTORS) };
    const config = parseModelConfig(describeConfig(architecture, parts), path);
    const tokenizer = describeTokenizer(metadata, template);
    if (needsTemplate && templateText(tokenizer.config) === undefined) throw withoutTemplate(path);
    createTokenizer(tokenizer, path, { needsTemplate });
    const weights = findWeights(file, config, architecture);
    return { config, tokenizer, stopTokens: findStopTokens(metadata), weights, close: () => file.close() };
  } catch (error) {
    file.close();
    throw error;
  }
}

const withoutTemplate = (source: string): AppError =>
  new AppError(
    'model.malformed_tokenizer',
    `${source}: there is no chat template in tokenizer.chat_template; give one with --template FILE`,
    { details: { source } },
  );

/** Reads a whole tensor with one axis; undefined where there is none. @throws model.unsupported_gguf, model.malformed_gguf */
function readVector(file: GgufFile, name: string): Float32Array | undefined {
  const tensor = file.tensors.get(name);
  if (tensor === undefined) return undefined;
  const [size = 0, ...more] = tensor.shape;
  if (more.length > 0 || size > longestVector)
    throw unsupportedGguf(
      tensor.source,
      `tensor "${name}" has the shape [${tensor.shape.join(', ')}]; expected a vector`,
    );
  const values = new Float32Array(size);
  file.read(tensor, 0, values);
  requireFinite(tensor.source, name, values, 0);
  return values;
}

const longestVector = 1 << 16;

function findWeights(
  file: GgufFile,
  config: ModelConfig,
  architecture: GgufArchitecture,
): Map<string, GgufWeight> {
  const { id, isInterleaved = false, hasShiftedNorms = false } = architecture;
  const expected = parameterShapes(config);
  const weights = new Map<string, GgufWeight>();
  for (const tensor of file.tensors.values()) {
    if (tensor.name === ROTARY_FACTORS) continue;
    const name = parameterNameOf(tensor.name, architecture);
    const shape = name === undefined ? undefined : expected.get(name);
    if (name === undefined || shape === undefined)
      throw unsupportedGguf(tensor.source, `tensor "${tensor.name}" is not one of the architecture "${id}"`);
    if (shape.join() !== tensor.shape.join())
      throw unsupportedGguf(
        tensor.source,
        `tensor "${tensor.name}" has the shape [${tensor.shape.join(', ')}]; the metadata ask for [${shape.join(', ')}]`,
      );
    const headSize = isInterleaved && isRotated(name) ? config.shape.headSize : undefined;
    const isShifted = hasShiftedNorms && shape.length === 1;
    const pieces = (): Iterable<Float32Array> =>
      isShifted ? shiftedBack(readPieces(file, tensor, undefined)) : readPieces(file, tensor, headSize);
    weights.set(name, { shape, format: tensor.type.name, pieces });
  }
  const missing = [...expected.keys()].find((name) => !weights.has(name));
  if (missing !== undefined)
    throw malformedGguf(file.path, `the tensor of "${missing}" is missing; copy or download the file again`);
  if (config.shape.isTied && weights.has(OUTPUT_HEAD)) weights.delete(OUTPUT_HEAD);
  return weights;
}

/** Norms of Gemma are stored as factors; its checkpoints have their differences from 1. */
function* shiftedBack(pieces: Iterable<Float32Array>): Iterable<Float32Array> {
  for (const piece of pieces) yield piece.map((value) => value - 1);
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
    requireFinite(tensor.source, tensor.name, piece, from);
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
