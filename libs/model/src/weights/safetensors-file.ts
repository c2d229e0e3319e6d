/**
 * @file safetensors on disk. The header is read first, then each tensor from its own range, so that a file may be larger
 * than any buffer and no value is held twice.
 */
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { dtypeFormats } from './dtype.js';
import { encodeSafetensorsParts, type TensorToEncode } from './encode-safetensors.js';
import {
  malformedSafetensors,
  parseSafetensorsHeader,
  type Safetensors,
  type SafetensorsEntry,
  type SafetensorsTensor,
} from './parse-safetensors.js';
import { saveWholeFile } from '@espalier/files';

/** Most bytes of one call; Node takes less than 2 GiB. */
const maxReadBytes = 1 << 30;
/** Bytes of half precision or float64 that are held while they are converted. */
const convertedBytes = 1 << 24;

const floatDtypes: ReadonlySet<string> = new Set(['F32', 'F16', 'BF16', 'F64']);

/** Tells whether a tensor holds floating-point numbers, so that {@link SafetensorsFile.readFloats} can read it. */
export const isFloat = ({ dtype }: SafetensorsEntry): boolean => floatDtypes.has(dtype);

/** An open file whose header has been checked. */
export interface SafetensorsFile {
  readonly path: string;
  /** by name */
  readonly entries: ReadonlyMap<string, SafetensorsEntry>;
  readonly metadata: Readonly<Record<string, string>>;
  /** Reads one tensor. */
  read(entry: SafetensorsEntry): SafetensorsTensor;
  /** Fills an array with a tensor of floating-point numbers as float32, or with those from a place on. */
  readFloats(entry: SafetensorsEntry, target: Float32Array, from?: number): void;
  close(): void;
}

/**
 * Opens a safetensors file and reads its header; errors of the file system pass through.
 *
 * @returns to be closed
 * @throws model.malformed_safetensors
 */
export function openSafetensors(path: string): SafetensorsFile {
  const file = openSync(path, 'r');
  const take = (begin: number, end: number): Uint8Array => {
    const bytes = new Uint8Array(end - begin);
    readRange(file, bytes, begin, path);
    return bytes;
  };
  try {
    const { entries, metadata } = parseSafetensorsHeader(take, fstatSync(file).size, path);
    return {
      path,
      entries: new Map(entries.map((entry) => [entry.name, entry])),
      metadata,
      read({ dtype, shape, begin, end }) {
        const bytes = new Uint8Array(end - begin);
        readRange(file, bytes, begin, path);
        return { dtype, shape, data: dtypeFormats[dtype].decode(bytes.buffer) };
      },
      readFloats: (entry, target, from) => readFloats(file, partOf(entry, target, from), target, path),
      close: () => closeSync(file),
    };
  } catch (error) {
    closeSync(file);
    throw error;
  }
}

/** Reads a safetensors file; errors of the file system pass through. @throws model.malformed_safetensors */
export function loadSafetensors(path: string): Safetensors {
  const file = openSafetensors(path);
  try {
    const { entries, metadata } = file;
    return { tensors: new Map([...entries].map(([name, entry]) => [name, file.read(entry)])), metadata };
  } finally {
    file.close();
  }
}

/** Writes a safetensors file, whole or not at all. */
export function saveSafetensors(
  path: string,
  tensors: ReadonlyMap<string, TensorToEncode>,
  metadata: Readonly<Record<string, string>> = {},
): void {
  saveWholeFile(path, encodeSafetensorsParts(tensors, metadata));
}

/** The entry of a piece of a tensor. */
function partOf(entry: SafetensorsEntry, target: Float32Array, from?: number): SafetensorsEntry {
  if (from === undefined) return entry;
  const { size } = dtypeFormats[entry.dtype];
  const begin = entry.begin + from * size;
  const end = begin + target.length * size;
  if (from < 0 || end > entry.end)
    throw new RangeError(`read "${entry.name}": ${from} + ${target.length} is not in it`);
  return { ...entry, begin, end };
}

function readFloats(file: number, entry: SafetensorsEntry, target: Float32Array, path: string): void {
  const { name, dtype, begin, end } = entry;
  const { size, decode } = dtypeFormats[dtype];
  if (!isFloat(entry) || target.length * size !== end - begin)
    throw new RangeError(`read "${name}": ${end - begin} bytes of ${dtype} are not ${target.length} floats`);
  if (dtype === 'F32')
    return readRange(file, new Uint8Array(target.buffer, target.byteOffset, target.byteLength), begin, path);
  for (let at = begin; at < end; at += convertedBytes) {
    const bytes = new Uint8Array(Math.min(convertedBytes, end - at));
    readRange(file, bytes, at, path);
    target.set(decode(bytes.buffer) as Float32Array | Float64Array, (at - begin) / size);
  }
}

/** Fills `bytes` from a place in the file. */
function readRange(file: number, bytes: Uint8Array, begin: number, path: string): void {
  for (let done = 0; done < bytes.length;) {
    const length = Math.min(maxReadBytes, bytes.length - done);
    const count = readSync(file, bytes, done, length, begin + done);
    if (count === 0)
      throw malformedSafetensors(
        path,
        `the file ends at ${begin + done}; it became shorter while it was read`,
      );
    done += count;
  }
}
