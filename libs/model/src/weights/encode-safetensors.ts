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
  const parts = [...encodeSafetensorsParts(tensors, metadata)];
  const bytes = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let position = 0;
  for (const part of parts) {
    bytes.set(part, position);
    position += part.length;
  }
  return bytes;
}

/**
 * Encodes a file piece by piece: the header, then one array after the other, so that a file may be larger than any
 * buffer. Everything is checked before the first piece.
 *
 * @throws as {@link encodeSafetensors}
 */
export function encodeSafetensorsParts(
  tensors: ReadonlyMap<string, TensorToEncode>,
  metadata: Readonly<Record<string, string>> = {},
): Iterable<Uint8Array> {
  const header: Record<string, unknown> = {};
  if (Object.keys(metadata).length > 0) header['__metadata__'] = metadata;
  const sorted = sortTensors(tensors);
  let offset = 0;
  for (const [name, tensor] of sorted) {
    checkTensor(name, tensor);
    const { dtype = 'F32', shape, data } = tensor;
    const end = offset + data.length * dtypeFormats[dtype].size;
    header[name] = { dtype, shape, data_offsets: [offset, end] };
    offset = end;
  }
  return (function* () {
    yield encodeHeader(header);
    for (const [, tensor] of sorted) yield encodeTensor(tensor);
  })();
}

/** A tensor whose numbers come piece by piece. */
export interface StreamedTensor {
  readonly dtype: 'F32' | 'F16' | 'BF16';
  readonly shape: readonly number[];
  /** Gives its numbers in order; a piece may be reused by the next one. */
  pieces(): Iterable<Float32Array>;
}

/** Bytes of a file of streamed tensors. */
export function streamedBytes(
  tensors: ReadonlyMap<string, StreamedTensor>,
  metadata: Readonly<Record<string, string>> = {},
): number {
  const { header, dataBytes } = planStream(tensors, metadata);
  return header.length + dataBytes;
}

/**
 * Encodes a file of which no tensor is ever whole in memory.
 *
 * @throws contracts.invalid_value when a tensor does not fill its shape, or a finite value does not fit the dtype
 */
export function* streamSafetensors(
  tensors: ReadonlyMap<string, StreamedTensor>,
  metadata: Readonly<Record<string, string>> = {},
): Iterable<Uint8Array> {
  const { header, sorted } = planStream(tensors, metadata);
  yield header;
  for (const [name, { dtype, shape, pieces }] of sorted) {
    let count = 0;
    for (const data of pieces()) {
      const format = dtypeFormats[dtype];
      if ('encode' in format) checkRange(name, dtype, data, format.overflow);
      count += data.length;
      yield encodeTensor({ dtype, shape, data });
    }
    if (count !== sizeOf(shape)) throw wrongCount(name, count, shape);
  }
}

function planStream(
  tensors: ReadonlyMap<string, StreamedTensor>,
  metadata: Readonly<Record<string, string>>,
): { readonly header: Uint8Array; readonly sorted: [string, StreamedTensor][]; readonly dataBytes: number } {
  const header: Record<string, unknown> = {};
  if (Object.keys(metadata).length > 0) header['__metadata__'] = metadata;
  const sorted = sortTensors(tensors);
  let offset = 0;
  for (const [name, { dtype, shape }] of sorted) {
    const end = offset + sizeOf(shape) * dtypeFormats[dtype].size;
    header[name] = { dtype, shape, data_offsets: [offset, end] };
    offset = end;
  }
  return { header: encodeHeader(header), sorted, dataBytes: offset };
}

const sizeOf = (shape: readonly number[]): number => shape.reduce((product, extent) => product * extent, 1);

function encodeHeader(header: Readonly<Record<string, unknown>>): Uint8Array {
  const text = new TextEncoder().encode(JSON.stringify(header));
  const headerBytes = Math.ceil(text.length / 8) * 8;
  const bytes = new Uint8Array(8 + headerBytes);
  new DataView(bytes.buffer).setBigUint64(0, BigInt(headerBytes), true);
  bytes.fill(0x20, 8);
  bytes.set(text, 8);
  return bytes;
}

/** Wide elements first, then by name: each array starts at a multiple of its element size. */
function sortTensors<T extends { readonly dtype?: SafetensorsDtype }>(
  tensors: ReadonlyMap<string, T>,
): [string, T][] {
  const size = (tensor: T) => dtypeFormats[tensor.dtype ?? 'F32'].size;
  return [...tensors].sort(([a, x], [b, y]) => size(y) - size(x) || (a < b ? -1 : 1));
}

function encodeTensor({ dtype = 'F32', data }: TensorToEncode): Uint8Array {
  const format = dtypeFormats[dtype];
  if (!('encode' in format)) return new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
  return new Uint8Array(format.encode(data as Float32Array | Float64Array).buffer);
}

function checkTensor(name: string, { dtype = 'F32', shape, data }: TensorToEncode): void {
  const format = dtypeFormats[dtype];
  if (data.length !== sizeOf(shape)) throw wrongCount(name, data.length, shape);
  if (!('encode' in format)) {
    if (data.BYTES_PER_ELEMENT !== format.size) throw mismatch(name, dtype, data);
    return;
  }
  if (!(data instanceof Float32Array || data instanceof Float64Array)) throw mismatch(name, dtype, data);
  checkRange(name, dtype, data, format.overflow);
}

/** A weight that silently became infinite would be found long after it was written. */
function checkRange(
  name: string,
  dtype: SafetensorsDtype,
  data: Float32Array | Float64Array,
  overflow: number,
): void {
  for (let i = 0; i < data.length; i++) {
    const size = Math.abs(Math.fround(data[i]!));
    if (size >= overflow && Number.isFinite(data[i]!)) {
      throw new AppError(
        'contracts.invalid_value',
        `tensor "${name}": the value ${data[i]} at ${i} does not fit ${dtype}; store it as F32`,
      );
    }
  }
}

const wrongCount = (name: string, count: number, shape: readonly number[]) =>
  new AppError(
    'contracts.invalid_value',
    `tensor "${name}": ${count} values, shape [${shape.join(', ')}] needs ${sizeOf(shape)}`,
  );

const mismatch = (name: string, dtype: string, data: WeightArray) =>
  new AppError(
    'contracts.invalid_value',
    `tensor "${name}": a ${data.constructor.name} cannot be stored as ${dtype}`,
  );
