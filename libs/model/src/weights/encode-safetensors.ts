/** @file Writes the safetensors format. The header is padded to 8 bytes, so that every array lies aligned. */
import { AppError } from '@espalier/contracts';
import { dtypeFormats, type SafetensorsDtype, type WeightArray } from './dtype.js';

/** An array to be written; float32 data may be stored as F16 or BF16. */
export interface TensorToEncode {
  /** default: F32 */
  readonly dtype?: SafetensorsDtype;
  readonly shape: readonly number[];
  readonly data: WeightArray;
}

/**
 * Encodes named arrays as the bytes of a safetensors file. Equal input gives equal bytes, in whatever order it comes.
 *
 * @throws contracts.invalid_value when an array does not fill its shape, or a finite value does not fit the dtype
 */
export function encodeSafetensors(
  tensors: ReadonlyMap<string, TensorToEncode>,
  metadata: Readonly<Record<string, string>> = {},
): Uint8Array {
  const header: Record<string, unknown> = {};
  if (Object.keys(metadata).length > 0) header['__metadata__'] = metadata;
  const parts: Uint8Array[] = [];
  let offset = 0;
  for (const [name, tensor] of sortTensors(tensors)) {
    const part = encodeTensor(name, tensor);
    header[name] = {
      dtype: tensor.dtype ?? 'F32',
      shape: tensor.shape,
      data_offsets: [offset, offset + part.length],
    };
    offset += part.length;
    parts.push(part);
  }
  const text = new TextEncoder().encode(JSON.stringify(header));
  const headerBytes = Math.ceil(text.length / 8) * 8;
  const bytes = new Uint8Array(8 + headerBytes + offset);
  new DataView(bytes.buffer).setBigUint64(0, BigInt(headerBytes), true);
  bytes.fill(0x20, 8, 8 + headerBytes);
  bytes.set(text, 8);
  let position = 8 + headerBytes;
  for (const part of parts) {
    bytes.set(part, position);
    position += part.length;
  }
  return bytes;
}

/** Wide elements first, then by name: each array starts at a multiple of its element size. */
function sortTensors(tensors: ReadonlyMap<string, TensorToEncode>): [string, TensorToEncode][] {
  const size = (tensor: TensorToEncode) => dtypeFormats[tensor.dtype ?? 'F32'].size;
  return [...tensors].sort(([a, x], [b, y]) => size(y) - size(x) || (a < b ? -1 : 1));
}

function encodeTensor(name: string, { dtype = 'F32', shape, data }: TensorToEncode): Uint8Array {
  const format = dtypeFormats[dtype];
  const length = shape.reduce((product, extent) => product * extent, 1);
  if (data.length !== length) {
    throw new AppError(
      'contracts.invalid_value',
      `tensor "${name}": ${data.length} values, shape [${shape.join(', ')}] needs ${length}`,
    );
  }
  if ('encode' in format) {
    if (!(data instanceof Float32Array || data instanceof Float64Array)) throw mismatch(name, dtype, data);
    const words = format.encode(data);
    checkRange(name, dtype, data, words);
    return new Uint8Array(words.buffer);
  }
  if (data.BYTES_PER_ELEMENT !== format.size) throw mismatch(name, dtype, data);
  return new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
}

/** A weight that silently became infinite would be found long after it was written. */
function checkRange(
  name: string,
  dtype: SafetensorsDtype,
  data: ArrayLike<number>,
  words: Uint16Array,
): void {
  const infinity = dtype === 'F16' ? 0x7c00 : 0x7f80;
  for (let i = 0; i < words.length; i++) {
    if ((words[i]! & 0x7fff) === infinity && Number.isFinite(data[i]!)) {
      throw new AppError(
        'contracts.invalid_value',
        `tensor "${name}": the value ${data[i]} at ${i} does not fit ${dtype}; store it as F32`,
      );
    }
  }
}

const mismatch = (name: string, dtype: string, data: WeightArray) =>
  new AppError(
    'contracts.invalid_value',
    `tensor "${name}": a ${data.constructor.name} cannot be stored as ${dtype}`,
  );
