/** @file A GGUF file on disk: the header is read first, then each tensor in pieces of whole blocks. */
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { malformedGguf, type TakeBytes } from './byte-cursor.js';
import { type GgufHeader, type GgufTensor, parseGguf } from './parse-gguf.js';

/** An open file whose header has been checked. */
export interface GgufFile extends GgufHeader {
  readonly path: string;
  readonly size: number;
  /** Fills an array with the numbers of a tensor from a place on; both are multiples of its block size. */
  read(tensor: GgufTensor, from: number, target: Float32Array): void;
  close(): void;
}

/**
 * Opens a GGUF file; errors of the file system pass through.
 *
 * @returns to be closed
 * @throws model.malformed_gguf, model.unsupported_gguf
 */
export function openGguf(path: string): GgufFile {
  const file = openSync(path, 'r');
  const take = (begin: number, end: number): Uint8Array => readRange(file, begin, end, path);
  try {
    return createGguf(take, fstatSync(file).size, path, () => closeSync(file));
  } catch (error) {
    closeSync(file);
    throw error;
  }
}

/** Opens the bytes of a GGUF file, as {@link openGguf}. */
export function openGgufBytes(bytes: Uint8Array, source: string): GgufFile {
  return createGguf(
    (begin, end) => bytes.subarray(begin, end),
    bytes.length,
    source,
    () => undefined,
  );
}

function createGguf(take: TakeBytes, size: number, path: string, close: () => void): GgufFile {
  return {
    ...parseGguf(take, size, path),
    path,
    size,
    read(tensor, from, target) {
      const { blockSize, blockBytes, dequantize } = tensor.type;
      const begin = tensor.begin + (from / blockSize) * blockBytes;
      const end = begin + (target.length / blockSize) * blockBytes;
      if (!Number.isInteger(begin) || !Number.isInteger(end) || from < 0 || end > tensor.end)
        throw new RangeError(`read "${tensor.name}": ${from} + ${target.length} is not in its blocks`);
      dequantize(take(begin, end), target);
    },
    close,
  };
}

function readRange(file: number, begin: number, end: number, path: string): Uint8Array {
  const bytes = new Uint8Array(end - begin);
  for (let done = 0; done < bytes.length;) {
    const count = readSync(file, bytes, done, bytes.length - done, begin + done);
    if (count === 0)
      throw malformedGguf(path, `the file ends at ${begin + done}; it became shorter while it was read`);
    done += count;
  }
  return bytes;
}
