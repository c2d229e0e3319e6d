/**
 * @file Parses the header of a GGUF file, versions 2 and 3: metadata, and where each tensor is. The file is untrusted: all
 * counts, lengths and places are checked against its size first.
 * @see https://github.com/ggml-org/ggml/blob/master/docs/gguf.md
 */
import { AppError } from '@espalier/contracts';
import { ByteCursor, type TakeBytes } from './byte-cursor.js';
import { type TensorType, tensorTypes, unsupportedTypeName } from './tensor-types.js';

export type GgufValue = number | boolean | string | readonly GgufValue[];

/** Where a tensor is in the file. */
export interface GgufTensor {
  readonly name: string;
  /** slowest axis first, as in safetensors; the file has them in the other order */
  readonly shape: readonly number[];
  readonly type: TensorType;
  readonly begin: number;
  readonly end: number;
  /** the file, for errors */
  readonly source: string;
}

export interface GgufHeader {
  readonly version: number;
  readonly metadata: ReadonlyMap<string, GgufValue>;
  /** by name */
  readonly tensors: ReadonlyMap<string, GgufTensor>;
}

/** Longest header that is read; those with the largest vocabularies have some 10 MB. */
const maxHeaderBytes = 1 << 28;
/** Most entries of all arrays together; a vocabulary of 262,144 has under a million with its scores and merges. */
const maxArrayEntries = 1 << 24;
const maxArrayDepth = 4;
const maxDimensions = 4;
const maxAlignment = 1 << 20;

/** The error of a valid GGUF file that holds something unknown here. */
export function unsupportedGguf(source: string, finding: string, cause?: unknown): AppError {
  return new AppError('model.unsupported_gguf', `${source}: ${finding}`, { details: { source }, cause });
}

/**
 * Parses the header; no tensor is read.
 *
 * @param take gives bytes of the file, end exclusive
 * @param size bytes of the whole file
 * @throws model.malformed_gguf, model.unsupported_gguf (version, number format)
 */
export function parseGguf(take: TakeBytes, size: number, source = 'GGUF file'): GgufHeader {
  const cursor = new ByteCursor(take, size, maxHeaderBytes, source);
  const version = readVersion(cursor, source);
  const tensorCount = cursor.count('tensors', 24);
  const keyCount = cursor.count('metadata keys', 13);
  const budget = { entries: maxArrayEntries };
  const metadata = new Map<string, GgufValue>();
  for (let i = 0; i < keyCount; i++) {
    const key = cursor.string('a metadata key');
    if (metadata.has(key)) cursor.fail(`the metadata have the key "${key}" twice`);
    metadata.set(key, readValue(cursor, cursor.uint32(), key, budget, 0));
  }
  const entries: Entry[] = [];
  for (let i = 0; i < tensorCount; i++) entries.push(readEntry(cursor, source));
  const alignment = readAlignment(cursor, metadata.get('general.alignment'));
  const start = alignUp(cursor.position, alignment);
  const tensors = new Map<string, GgufTensor>();
  for (const entry of entries) {
    if (tensors.has(entry.name)) cursor.fail(`there are two tensors "${entry.name}"`);
    tensors.set(entry.name, { ...placeTensor(entry, start, alignment, size, cursor), source });
  }
  checkOverlap([...tensors.values()], cursor);
  return { version, metadata, tensors };
}

/** The next multiple of an alignment. */
export const alignUp = (position: number, alignment: number): number =>
  Math.ceil(position / alignment) * alignment;

function readVersion(cursor: ByteCursor, source: string): number {
  if (cursor.left < 24)
    cursor.fail(`the file has ${cursor.left} bytes; the shortest GGUF file has 24, it is cut short or none`);
  const magic = cursor.uint32();
  if (magic !== 0x46554747) cursor.fail('the file does not begin with "GGUF"; it is no GGUF file');
  const version = cursor.uint32();
  if (version === 2 || version === 3) return version;
  const finding =
    (version & 0xffff) === 0
      ? 'the file is big-endian; expected little-endian'
      : `the file has GGUF version ${version}; expected 2 or 3`;
  throw unsupportedGguf(source, `${finding}, convert it with the tools of llama.cpp`);
}

interface Budget {
  entries: number;
}

type ReadScalar = (cursor: ByteCursor, key: string) => GgufValue;

/** How a value is read, and its fewest bytes, by the id of its type; arrays have the id 9. */
const scalars: readonly (readonly [ReadScalar, number])[] = [
  [(cursor) => cursor.uint8(), 1],
  [(cursor) => cursor.int8(), 1],
  [(cursor) => cursor.uint16(), 2],
  [(cursor) => cursor.int16(), 2],
  [(cursor) => cursor.uint32(), 4],
  [(cursor) => cursor.int32(), 4],
  [(cursor) => cursor.float32(), 4],
  [(cursor) => cursor.uint8() !== 0, 1],
  [(cursor, key) => cursor.string(`the text of "${key}"`), 8],
  [(cursor) => cursor.fail('an array is no single value'), 12],
  [(cursor) => cursor.uint64(), 8],
  [(cursor) => cursor.int64(), 8],
  [(cursor) => cursor.float64(), 8],
];
const arrayType = 9;

function readValue(cursor: ByteCursor, type: number, key: string, budget: Budget, depth: number): GgufValue {
  if (type === arrayType) return readArray(cursor, key, budget, depth);
  const scalar = scalars[type];
  if (scalar === undefined) return cursor.fail(`"${key}" has a value of the unknown type ${type}`);
  return scalar[0](cursor, key);
}

function readArray(cursor: ByteCursor, key: string, budget: Budget, depth: number): GgufValue[] {
  if (depth >= maxArrayDepth) cursor.fail(`"${key}" nests arrays deeper than ${maxArrayDepth}`);
  const type = cursor.uint32();
  const scalar = scalars[type];
  if (scalar === undefined) return cursor.fail(`"${key}" is an array of the unknown type ${type}`);
  const count = cursor.count(`entries of "${key}"`, scalar[1]);
  budget.entries -= count;
  if (budget.entries < 0) cursor.fail(`the arrays of the metadata have more than ${maxArrayEntries} entries`);
  const values: GgufValue[] = [];
  for (let i = 0; i < count; i++) values.push(readValue(cursor, type, key, budget, depth + 1));
  return values;
}

interface Entry {
  readonly name: string;
  readonly shape: readonly number[];
  readonly type: TensorType;
  readonly offset: number;
}

function readEntry(cursor: ByteCursor, source: string): Entry {
  const name = cursor.string('the name of a tensor');
  const dimensions = cursor.uint32();
  if (dimensions < 1 || dimensions > maxDimensions)
    cursor.fail(`tensor "${name}" has ${dimensions} dimensions; expected 1 to ${maxDimensions}`);
  const shape = Array.from({ length: dimensions }, () => cursor.uint64()).reverse();
  const id = cursor.uint32();
  const offset = cursor.uint64();
  const type = tensorTypes.get(id);
  if (type !== undefined) return { name, shape, type, offset };
  const known = [...tensorTypes.values()].map((one) => one.name).join(', ');
  throw unsupportedGguf(
    source,
    `tensor "${name}" has the number format ${unsupportedTypeName(id)}; supported are ${known}, take a file in one of them`,
  );
}

function readAlignment(cursor: ByteCursor, value: GgufValue | undefined): number {
  if (value === undefined) return 32;
  const isPower = typeof value === 'number' && value >= 8 && Number.isInteger(Math.log2(value));
  if (isPower && value <= maxAlignment) return value;
  return cursor.fail(`general.alignment is ${JSON.stringify(value)}; expected a power of two from 8`);
}

function placeTensor(
  { name, shape, type, offset }: Entry,
  start: number,
  alignment: number,
  size: number,
  cursor: ByteCursor,
): Omit<GgufTensor, 'source'> {
  const { blockSize, blockBytes } = type;
  const numbers = shape.reduce((product, extent) => product * extent, 1);
  if (!Number.isSafeInteger(numbers) || numbers < 1 || shape.at(-1)! % blockSize !== 0)
    cursor.fail(
      `tensor "${name}" has the shape [${shape.join(', ')}]; rows of ${type.name} are a multiple of ${blockSize} from 1`,
    );
  const bytes = (numbers / blockSize) * blockBytes;
  if (offset % alignment !== 0)
    cursor.fail(`tensor "${name}" begins at ${offset}, which is no multiple of the alignment ${alignment}`);
  const begin = start + offset;
  const end = begin + bytes;
  if (!(end <= size))
    cursor.fail(`tensor "${name}" ends at byte ${end}, but the file has ${size}; it is cut short`);
  return { name, shape, type, begin, end };
}

function checkOverlap(tensors: readonly GgufTensor[], cursor: ByteCursor): void {
  const sorted = [...tensors].sort((a, b) => a.begin - b.begin);
  sorted.forEach(({ name, begin }, i) => {
    const before = sorted[i - 1];
    if (before !== undefined && begin < before.end)
      cursor.fail(`tensor "${name}" begins at ${begin} and overlaps "${before.name}"`);
  });
}
