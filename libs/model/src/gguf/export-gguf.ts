/** @file From a model folder to a GGUF file, piece by piece. */
import { openModelFolder } from '../adapters/adapted-folder.js';
import { loadTokenizer, loadTokenizerFiles } from '../tokenizer/tokenizer-folder.js';
import type { OpenedModel } from '../weights/model-folder.js';
import { writeNewFile, type WriteOptions } from '../weights/write-folder.js';
import { describeConfigMetadata, requireSameShape, unwritten } from './config-metadata.js';
import { encodeGguf, type NewTensor, type TypedValue } from './encode-gguf.js';
import { architectureOf, type GgufArchitecture, isRotated, tensorNameOf } from './gguf-architecture.js';
import { ROTARY_FACTORS } from './gguf-config.js';
import { type Quantize, quantizeF16, quantizeF32, quantizeQ8_0 } from './quantize.js';
import { toInterleaved } from './row-order.js';
import { tensorTypeNamed } from './tensor-types.js';
import { describeTokenizerMetadata } from './tokenizer-metadata.js';

export type GgufDtype = 'f16' | 'q8_0';

/** Names of formats, how they are written, and their numbers in `general.file_type`. */
const formats: Readonly<Record<GgufDtype, readonly [name: string, quantize: Quantize, fileType: number]>> = {
  f16: ['F16', quantizeF16, 1],
  q8_0: ['Q8_0', quantizeQ8_0, 7],
};

/** Most numbers of a piece. */
const pieceSize = 1 << 20;

/**
 * Writes a GGUF file; vectors stay float32.
 *
 * @param name of the model, for other tools
 * @throws model.* of the folder; model.unsupported_config and model.malformed_tokenizer for what GGUF has no words for;
 *   model.folder_exists, model.disk_full
 */
export async function exportGguf(
  folder: string,
  path: string,
  {
    dtype,
    name,
    base,
    ...options
  }: WriteOptions & {
    readonly dtype: GgufDtype;
    readonly name: string;
    /** of an adapter: the model it was trained on */
    readonly base?: string | undefined;
  },
): Promise<void> {
  const model = openModelFolder(folder, base);
  try {
    const { config } = model;
    const architecture = architectureOf(config);
    if (architecture === undefined) throw unwritten(folder, `the family "${config.family.modelType}"`);
    const { metadata: sizes, rotaryFactors } = describeConfigMetadata(folder, config, architecture);
    const metadata = new Map<string, TypedValue>([
      ['general.architecture', ['string', architecture.id]],
      ['general.name', ['string', name]],
      ['general.alignment', ['uint32', 32]],
      ['general.file_type', ['uint32', formats[dtype][2]]],
      ['general.quantization_version', ['uint32', 2]],
      ...sizes,
      ...describeTokenizerMetadata(loadTokenizerFiles(folder), config.shape.vocabularySize, folder),
      ...describeStops(folder),
    ]);
    const tensors = [...model.shapes].map(([parameter, shape]) =>
      describeTensor(model, parameter, shape, architecture, dtype),
    );
    if (rotaryFactors !== undefined) tensors.push(describeVector(ROTARY_FACTORS, rotaryFactors));
    requireSameShape(folder, config, architecture, { metadata, tensors, rotaryFactors });
    await writeNewFile(path, encodeGguf(metadata, tensors), options);
  } finally {
    model.close();
  }
}

/** Two more ids that end a turn have names in GGUF. */
function describeStops(folder: string): [string, TypedValue][] {
  const { stopTokens } = loadTokenizer(folder, { needsTemplate: false });
  return stopTokens
    .slice(1, 3)
    .map((id, i): [string, TypedValue] => [
      `tokenizer.ggml.${i === 0 ? 'eot' : 'eom'}_token_id`,
      ['uint32', id],
    ]);
}

function describeTensor(
  model: OpenedModel,
  parameter: string,
  shape: readonly number[],
  architecture: GgufArchitecture,
  dtype: GgufDtype,
): NewTensor {
  const { isInterleaved = false, hasShiftedNorms = false } = architecture;
  const name = tensorNameOf(parameter, architecture);
  if (name === undefined) throw unwritten('export', `"${parameter}"`);
  const [width = 1] = shape.slice(1);
  const isBlocked = shape.length > 1 && (dtype === 'f16' || width % 32 === 0);
  const [format, quantize]: readonly [string, Quantize, ...unknown[]] =
    shape.length === 1 ? ['F32', quantizeF32] : isBlocked ? formats[dtype] : formats.f16;
  const { headSize } = model.config.shape;
  const isReordered = isInterleaved && isRotated(parameter);
  const isShifted = hasShiftedNorms && shape.length === 1;
  return {
    name,
    shape,
    type: tensorTypeNamed(format),
    *pieces() {
      const size = shape.reduce((product, extent) => product * extent, 1);
      const rows = isReordered ? headSize : Math.max(1, Math.floor(pieceSize / width));
      for (let from = 0; from < size; from += rows * width) {
        const piece = new Float32Array(Math.min(rows * width, size - from));
        model.read(parameter, piece, from);
        if (isShifted) piece.forEach((value, i) => (piece[i] = value + 1));
        yield quantize(isReordered ? toInterleaved(piece, headSize, width) : piece, name);
      }
    },
  };
}

const describeVector = (name: string, values: Float32Array): NewTensor => ({
  name,
  shape: [values.length],
  type: tensorTypeNamed('F32'),
  pieces: () => [quantizeF32(values, name)],
});
