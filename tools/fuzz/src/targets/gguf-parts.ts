/**
 * @file GGUF models in several files: parts that are damaged, lost, doubled, in another order or of another model, and that
 * say other numbers of themselves. They are written to a folder, because parts are found by their names.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RandomStream } from '@espalier/random';
import type { FuzzTarget } from '../fuzz-target.js';
import { ggufWords, mutateHeader, readGgufModel, readGolden } from './gguf.js';

/** Stands between two parts of an input; where it is damaged, two parts become one and another is missing. */
const mark = Buffer.from('\n-- next part --\n');
/** Parts of an input that are looked at. */
const mostParts = 4;
const count = 'split.count';
const keys = ['split.no', count, 'split.tensors.count'];
const numbers = [0, 1, 2, 3, 4, 5, 19, 20, 21, 99_999, 100_000, 2 ** 31, 2 ** 32 - 1];

const joinParts = (parts: readonly Uint8Array[]): Uint8Array =>
  new Uint8Array(Buffer.concat(parts.flatMap((part, i) => (i === 0 ? [part] : [mark, part]))));

function splitParts(input: Uint8Array): Uint8Array[] {
  const whole = Buffer.from(input.buffer, input.byteOffset, input.length);
  const parts: Uint8Array[] = [];
  let begin = 0;
  for (let end = whole.indexOf(mark); end >= 0; end = whole.indexOf(mark, begin)) {
    parts.push(input.subarray(begin, end));
    begin = end + mark.length;
  }
  return [...parts, input.subarray(begin)].slice(0, mostParts);
}

/** Bytes of a number, by the type before it. */
const widths: readonly (number | undefined)[] = [1, 1, 2, 2, 4, 4];

/** Where the type of a key's number is, before the number; undefined where there is no such key. */
function findKey(part: Uint8Array, key: string): number | undefined {
  const at = Buffer.from(part.buffer, part.byteOffset, part.length).indexOf(key);
  const place = at + key.length;
  return at < 0 || place + 8 > part.length ? undefined : place;
}

const numberAt = (part: Uint8Array, place: number): Buffer =>
  Buffer.from(part.buffer, part.byteOffset + place + 4, widths[part[place] ?? 0] ?? 4);

function setNumber(part: Uint8Array, key: string, value: number): Uint8Array {
  const changed = part.slice();
  const place = findKey(changed, key);
  if (place === undefined) return changed;
  const number = numberAt(changed, place);
  number.writeUIntLE(value % 256 ** number.length, 0, number.length);
  return changed;
}

/** How many parts there are, as the first one says; 0 where it does not. */
function countOf(part: Uint8Array): number {
  const place = findKey(part, count);
  const number = place === undefined ? undefined : numberAt(part, place);
  return number?.readUIntLE(0, number.length) ?? 0;
}

type Change = (stream: RandomStream, parts: Uint8Array[]) => Uint8Array[];

const changes: readonly Change[] = [
  (stream, parts) => at(stream, parts, (part) => mutateHeader(stream, part)),
  (stream, parts) => at(stream, parts, (part) => setNumber(part, stream.pick(keys), stream.pick(numbers))),
  // the same number in all of them, which then agree
  (stream, parts) => {
    const [key, value] = [stream.pick(keys), stream.pick(numbers)];
    return parts.map((part) => setNumber(part, key, value));
  },
  // another type of number
  (stream, parts) =>
    at(stream, parts, (part) => {
      const changed = part.slice();
      const place = findKey(changed, stream.pick(keys));
      if (place !== undefined) changed[place] = stream.int(14);
      return changed;
    }),
  // a key that is another
  (stream, parts) =>
    at(stream, parts, (part) => {
      const changed = Buffer.from(part);
      const place = changed.indexOf(stream.pick(keys));
      if (place >= 0) changed.write('split.xx', place, 'latin1');
      return new Uint8Array(changed);
    }),
  (stream, parts) => parts.toSpliced(stream.int(parts.length), 1),
  (stream, parts) => parts.toSpliced(stream.int(parts.length + 1), 0, stream.pick(parts)),
  (stream, parts) => parts.with(stream.int(parts.length), stream.pick(parts)),
];

function at(stream: RandomStream, parts: Uint8Array[], change: (part: Uint8Array) => Uint8Array) {
  const index = stream.int(parts.length);
  return parts.with(index, change(parts[index] ?? new Uint8Array()));
}

/**
 * Builds the target.
 *
 * @param root of the clone, whose golden files are the start
 */
export function createGgufPartsTarget(root: string): FuzzTarget {
  const folder = mkdtempSync(join(tmpdir(), 'espalier-fuzz-parts-'));
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
  const corpus = [
    ['tiny', 3],
    ['bare', 2],
  ].map(([stem, of]) =>
    joinParts(
      Array.from({ length: Number(of) }, (_, i) =>
        readGolden(root, `${stem}-0000${i + 1}-of-0000${of}.gguf`),
      ),
    ),
  );
  return {
    name: 'gguf-parts',
    corpus,
    words: [...ggufWords, ...keys, mark.toString()],
    maxBytes: 32_768,
    mutate: (stream, input) => joinParts(stream.pick(changes)(stream, splitParts(input))),
    read(input) {
      const parts = splitParts(input);
      const said = parts[0] === undefined ? 0 : countOf(parts[0]);
      // whoever can change a file can give it any name
      const of = said >= 1 && said <= 99_999 ? said : parts.length;
      const paths = parts.map((_, i) => join(folder, `m-${pad(i + 1)}-of-${pad(of)}.gguf`));
      parts.forEach((part, i) => writeFileSync(paths[i] ?? '', part));
      try {
        readGgufModel(paths[0] ?? '');
      } finally {
        for (const path of paths) rmSync(path, { force: true });
      }
    },
  };
}

const pad = (number: number): string => String(number).padStart(5, '0');
