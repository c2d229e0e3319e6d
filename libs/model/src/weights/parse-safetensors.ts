/**
 * @file Reads the safetensors format: an 8-byte little-endian header length, a JSON header, the data.
 * Nothing of the file is trusted: every length and offset is checked before a byte is touched, and each broken
 * rule has its own sentence. Format: https://github.com/huggingface/safetensors#format
 */
import { AppError } from '@espalier/contracts';
import { isCount, isRecord } from '@espalier/contracts/values';
import { dtypeFormat, dtypeFormats, type SafetensorsDtype, type WeightArray } from './dtype.js';
import { findDuplicateKey } from './duplicate-key.js';

/** One array of a file; F16 and BF16 arrive as float32. */
export interface SafetensorsTensor {
  readonly dtype: SafetensorsDtype;
  readonly shape: readonly number[];
  readonly data: WeightArray;
}

export interface Safetensors {
  readonly tensors: ReadonlyMap<string, SafetensorsTensor>;
  readonly metadata: Readonly<Record<string, string>>;
}

/** A tensor as the header describes it. */
export interface SafetensorsEntry {
  readonly name: string;
  readonly dtype: SafetensorsDtype;
  readonly shape: readonly number[];
  /** bytes from the start of the file, end exclusive */
  readonly begin: number;
  readonly end: number;
}

export interface SafetensorsHeader {
  readonly entries: readonly SafetensorsEntry[];
  readonly metadata: Readonly<Record<string, string>>;
}

/** Longest header that is read, in bytes; the limit of the reference implementation. */
const maxHeaderBytes = 100_000_000;

/**
 * Parses the bytes of a safetensors file.
 *
 * @param source named in errors, e.g. the path
 * @returns arrays of their own; nothing refers to `bytes`
 * @throws model.malformed_safetensors naming the broken rule
 */
export function parseSafetensors(bytes: Uint8Array, source = 'safetensors'): Safetensors {
  const take = (begin: number, end: number): Uint8Array => bytes.subarray(begin, end);
  const { entries, metadata } = parseSafetensorsHeader(take, bytes.length, source);
  const tensors = new Map<string, SafetensorsTensor>();
  for (const { name, dtype, shape, begin, end } of entries) {
    const copy = new Uint8Array(end - begin);
    copy.set(bytes.subarray(begin, end));
    tensors.set(name, { dtype, shape, data: dtypeFormats[dtype].decode(copy.buffer) });
  }
  return { tensors, metadata };
}

/**
 * Parses the header of a safetensors file; the data is not read.
 *
 * @param take gives bytes of the file, end exclusive
 * @param size bytes of the whole file
 * @throws model.malformed_safetensors naming the broken rule
 */
export function parseSafetensorsHeader(
  take: (begin: number, end: number) => Uint8Array,
  size: number,
  source: string,
): SafetensorsHeader {
  const fail = (finding: string, cause?: unknown): never => {
    throw malformedSafetensors(source, `${finding}; copy or download the file again`, cause);
  };
  const start = 8 + readHeaderLength(take(0, Math.min(8, size)), size, fail);
  const header = readHeader(take(8, start), fail);
  const entries: SafetensorsEntry[] = [];
  let metadata: Record<string, string> = {};
  for (const [name, value] of Object.entries(header)) {
    if (name === '__metadata__') metadata = readMetadata(value, fail);
    else entries.push(readEntry(name, value, size - start, fail));
  }
  checkCoverage(entries, size - start, fail);
  return {
    entries: entries.map((entry) => ({ ...entry, begin: start + entry.begin, end: start + entry.end })),
    metadata,
  };
}

/** The error of a file that is not a valid safetensors file. */
export function malformedSafetensors(source: string, finding: string, cause?: unknown): AppError {
  return new AppError('model.malformed_safetensors', `${source}: ${finding}`, { details: { source }, cause });
}

type Fail = (finding: string, cause?: unknown) => never;

function readHeaderLength(bytes: Uint8Array, size: number, fail: Fail): number {
  if (size < 8) return fail(`the file has ${size} bytes; a header length takes 8`);
  if (String.fromCharCode(...bytes.subarray(0, 8)) === 'version ')
    return fail('it is a pointer of Git LFS, which stands for the weights; fetch them with `git lfs pull`');
  const length = new DataView(bytes.buffer, bytes.byteOffset, 8).getBigUint64(0, true);
  if (length > BigInt(maxHeaderBytes))
    return fail(`the header length is ${length} bytes; at most ${maxHeaderBytes} are read`);
  if (Number(length) > size - 8) {
    return fail(
      `the header length is ${length} bytes, but only ${size - 8} follow; the file is cut short or is no safetensors file`,
    );
  }
  return Number(length);
}

function readHeader(bytes: Uint8Array, fail: Fail): Record<string, unknown> {
  let header: unknown;
  let text = '';
  try {
    text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
    header = JSON.parse(text);
  } catch (cause) {
    fail('the header is not JSON in UTF-8', cause);
  }
  if (!isRecord(header)) return fail('the header is not a JSON object');
  if (!text.startsWith('{')) return fail('the header does not begin with "{"');
  const duplicate = findDuplicateKey(text);
  if (duplicate !== undefined) return fail(`the header has the key "${duplicate}" twice`);
  return header;
}

function readMetadata(value: unknown, fail: Fail): Record<string, string> {
  if (!isRecord(value)) return fail('"__metadata__" is not a JSON object; it must map strings to strings');
  for (const [key, text] of Object.entries(value)) {
    if (typeof text !== 'string')
      return fail(`"__metadata__" has a ${typeof text} under "${key}"; it must map strings to strings`);
  }
  return value as Record<string, string>;
}

function readEntry(name: string, value: unknown, dataBytes: number, fail: Fail): SafetensorsEntry {
  if (!isRecord(value)) return fail(`tensor "${name}" is not described by a JSON object`);
  const { dtype, shape, data_offsets: offsets } = value;
  const format = dtypeFormat(dtype);
  if (!format)
    return fail(
      `tensor "${name}" has the unknown dtype ${JSON.stringify(dtype)}; known are ${Object.keys(dtypeFormats).join(', ')}`,
    );
  if (!Array.isArray(shape) || !shape.every(isCount)) {
    return fail(
      `tensor "${name}" has the shape ${JSON.stringify(shape)}; it must be an array of integers ≥ 0`,
    );
  }
  if (!Array.isArray(offsets) || offsets.length !== 2 || !offsets.every(isCount)) {
    return fail(
      `tensor "${name}" has data_offsets ${JSON.stringify(offsets)}; they must be two integers ≥ 0`,
    );
  }
  const [begin, end] = offsets as [number, number];
  if (begin > end) return fail(`tensor "${name}" begins at ${begin}, after its end at ${end}`);
  if (end > dataBytes) return fail(`tensor "${name}" ends at ${end}, but the data has ${dataBytes} bytes`);
  const size = shape.includes(0)
    ? 0
    : shape.reduce((product: number, length: number) => product * length, format.size);
  if (!Number.isSafeInteger(size))
    return fail(`tensor "${name}" of shape [${shape.join(', ')}] overflows the largest exact size`);
  if (size !== end - begin) {
    return fail(
      `tensor "${name}" has ${end - begin} bytes of data; shape [${shape.join(', ')}] of ${String(dtype)} needs ${size}`,
    );
  }
  return { name, dtype: dtype as SafetensorsDtype, shape, begin, end };
}

/** The tensors must tile the data: no overlap, no hole, nothing behind the last one. */
function checkCoverage(entries: readonly SafetensorsEntry[], dataBytes: number, fail: Fail): void {
  let covered = 0;
  let previous = 'the header';
  for (const entry of [...entries].sort((a, b) => a.begin - b.begin || a.end - b.end)) {
    if (entry.begin < covered)
      fail(
        `tensor "${entry.name}" begins at ${entry.begin} and overlaps "${previous}", which ends at ${covered}`,
      );
    if (entry.begin > covered)
      fail(`the data has a hole of ${entry.begin - covered} bytes before tensor "${entry.name}"`);
    covered = entry.end;
    previous = entry.name;
  }
  if (covered !== dataBytes)
    fail(`the data has ${dataBytes} bytes, of which the last ${dataBytes - covered} belong to no tensor`);
}
