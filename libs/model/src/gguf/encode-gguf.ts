/** @file Writes the GGUF format, version 3, piece by piece. */
import { alignUp } from './parse-gguf.js';
import type { TensorType } from './tensor-types.js';

/** A value of the metadata with its type in the file. */
export type TypedValue =
  | readonly ['uint32' | 'int32' | 'float32', number]
  | readonly ['bool', boolean]
  | readonly ['string', string]
  | readonly ['strings', readonly string[]]
  | readonly ['int32s' | 'float32s', readonly number[]];

/** A tensor to write. */
export interface NewTensor {
  readonly name: string;
  /** slowest axis first */
  readonly shape: readonly number[];
  readonly type: readonly [id: number, type: TensorType];
  /** its bytes in order */
  pieces(): Iterable<Uint8Array>;
}

const alignment = 32;
const ids = { uint32: 4, int32: 5, float32: 6, bool: 7, string: 8, array: 9 } as const;

/** Encodes a file; the size of all pieces is known before the first. */
export function encodeGguf(
  metadata: ReadonlyMap<string, TypedValue>,
  tensors: readonly NewTensor[],
): { readonly bytes: number; readonly pieces: Iterable<Uint8Array> } {
  let offset = 0;
  const entries = tensors.map((tensor) => {
    const entry = { tensor, offset, bytes: bytesOf(tensor) };
    offset = alignUp(offset + entry.bytes, alignment);
    return entry;
  });
  const parts = [Buffer.from('GGUF'), uint32(3), uint64(tensors.length), uint64(metadata.size)];
  for (const [key, value] of metadata) {
    parts.push(text(key));
    // one by one: a vocabulary has more entries than a call may have arguments
    for (const part of encodeValue(value)) parts.push(part);
  }
  for (const { tensor, offset: begin } of entries) {
    const { name, shape, type } = tensor;
    const sizes = [...shape].reverse().map(uint64);
    parts.push(text(name), uint32(shape.length), ...sizes, uint32(type[0]), uint64(begin));
  }
  const header = Buffer.concat(parts);
  const start = alignUp(header.length, alignment);
  return { bytes: start + offset, pieces: join(header, start, entries) };
}

function* join(
  header: Uint8Array,
  start: number,
  entries: readonly { readonly tensor: NewTensor; readonly bytes: number }[],
): Iterable<Uint8Array> {
  yield header;
  yield new Uint8Array(start - header.length);
  for (const { tensor, bytes } of entries) {
    yield* tensor.pieces();
    yield new Uint8Array(alignUp(bytes, alignment) - bytes);
  }
}

function bytesOf({ shape, type }: NewTensor): number {
  const { blockSize, blockBytes } = type[1];
  return (shape.reduce((product, extent) => product * extent, 1) / blockSize) * blockBytes;
}

function encodeValue(value: TypedValue): Buffer[] {
  switch (value[0]) {
    case 'uint32':
      return [uint32(ids.uint32), uint32(value[1])];
    case 'int32':
      return [uint32(ids.int32), int32(value[1])];
    case 'float32':
      return [uint32(ids.float32), float32(value[1])];
    case 'bool':
      return [uint32(ids.bool), Buffer.of(value[1] ? 1 : 0)];
    case 'string':
      return [uint32(ids.string), text(value[1])];
    case 'strings':
      return [...head(ids.string, value[1].length), ...value[1].map(text)];
    case 'int32s':
      return [...head(ids.int32, value[1].length), ...value[1].map(int32)];
    case 'float32s':
      return [...head(ids.float32, value[1].length), ...value[1].map(float32)];
  }
}

const head = (id: number, count: number): Buffer[] => [uint32(ids.array), uint32(id), uint64(count)];

function text(value: string): Buffer {
  const bytes = Buffer.from(value);
  return Buffer.concat([uint64(bytes.length), bytes]);
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}

function int32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32LE(value);
  return bytes;
}

function float32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeFloatLE(value);
  return bytes;
}

function uint64(value: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(BigInt(value));
  return bytes;
}
