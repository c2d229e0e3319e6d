/**
 * @file Changes bytes at random, the way bit rot, cut transfers and malice do: flipped bits, extreme numbers, words of
 * the format, pieces cut, doubled, moved, and spliced from other inputs. Input k of a seed never depends on input k-1.
 */
import { createStream, deriveSeed, type RandomStream } from '@espalier/random';
import type { FuzzTarget } from './fuzz-target.js';

/** Default maximum input length in bytes. */
const maxInputBytes = 8192;

const extremes = [
  '0', '-0', '-1', '1', '255', '256', '65536', '2147483647', '2147483648', '4294967295', '4294967296',
  '9007199254740991', '9007199254740993', '18446744073709551615', '1e308', '1e999', '-1e999', '1e-400',
  '0.5', 'NaN', 'null', 'true', '""', '[]', '{}',
]; // prettier-ignore
const special = [
  0x00, 0x0a, 0x0d, 0x20, 0x22, 0x27, 0x2c, 0x3a, 0x5b, 0x5c, 0x5d, 0x7b, 0x7d, 0x7f, 0x80, 0xff,
];
const encoder = new TextEncoder();

/** Creates input number `index` of a target; depends only on the seed. */
export function createInput(target: FuzzTarget, seed: number, index: number): Uint8Array {
  const stream = createStream(deriveSeed(seed, 'fuzz', target.name, index));
  let input = stream.pick(target.corpus);
  if (stream.int(64) === 0) return input;
  const rounds = 1 + stream.int(1 << stream.int(4));
  for (let round = 0; round < rounds; round++) {
    const knows = target.mutate !== undefined && stream.int(3) > 0;
    input = knows ? target.mutate(stream, input) : mutateBytes(stream, input, target);
    input = input.subarray(0, target.maxBytes ?? maxInputBytes);
  }
  return input;
}

type Change = (stream: RandomStream, input: Uint8Array, target: FuzzTarget) => Uint8Array;

const changes: readonly Change[] = [
  (stream, input) => replaceByte(stream, input, (byte) => byte ^ (1 << stream.int(8))),
  (stream, input) => replaceByte(stream, input, () => stream.int(256)),
  (stream, input) => replaceByte(stream, input, () => stream.pick(special)),
  (stream, input) => insert(input, place(stream, input), randomBytes(stream)),
  (stream, input, { words }) => insert(input, place(stream, input), encoder.encode(stream.pick(words))),
  (stream, input) => input.subarray(0, place(stream, input)),
  (stream, input) => cut(input, ...range(stream, input)),
  (stream, input) => insert(input, place(stream, input), input.subarray(...range(stream, input))),
  (stream, input, { corpus }) => splice(stream, input, stream.pick(corpus)),
  (stream, input) => replaceNumber(stream, input),
  (stream, input) => replaceWord64(stream, input),
  (stream, input) => repeatPiece(stream, input),
];

/** Applies one format-agnostic mutation. */
export function mutateBytes(stream: RandomStream, input: Uint8Array, target: FuzzTarget): Uint8Array {
  return stream.pick(changes)(stream, input, target);
}

/** An edge-case number, word or value, as text. */
export function pickExtreme(stream: RandomStream): string {
  return stream.pick(extremes);
}

const place = (stream: RandomStream, input: Uint8Array): number => stream.int(input.length + 1);

function range(stream: RandomStream, input: Uint8Array): [from: number, to: number] {
  const from = place(stream, input);
  const room = input.length - from;
  return [from, from + stream.int(Math.min(room, stream.pick([4, 32, 512])) + 1)];
}

function randomBytes(stream: RandomStream): Uint8Array {
  return Uint8Array.from({ length: 1 + stream.int(8) }, () => stream.int(256));
}

function replaceByte(stream: RandomStream, input: Uint8Array, change: (byte: number) => number): Uint8Array {
  if (input.length === 0) return randomBytes(stream);
  const changed = input.slice();
  const at = stream.int(input.length);
  changed[at] = change(changed[at] ?? 0);
  return changed;
}

function joined(parts: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

const insert = (input: Uint8Array, at: number, piece: Uint8Array): Uint8Array =>
  joined([input.subarray(0, at), piece, input.subarray(at)]);
const cut = (input: Uint8Array, from: number, to: number): Uint8Array =>
  joined([input.subarray(0, from), input.subarray(to)]);

function splice(stream: RandomStream, input: Uint8Array, other: Uint8Array): Uint8Array {
  return joined([input.subarray(0, place(stream, input)), other.subarray(place(stream, other))]);
}

/** Replaces one run of digits by an extreme value. */
function replaceNumber(stream: RandomStream, input: Uint8Array): Uint8Array {
  const isDigit = (at: number): boolean => (input[at] ?? 0) >= 0x30 && (input[at] ?? 0) <= 0x39;
  let from = place(stream, input);
  while (from < input.length && !isDigit(from)) from++;
  let to = from;
  while (to < input.length && isDigit(to)) to++;
  return joined([input.subarray(0, from), encoder.encode(pickExtreme(stream)), input.subarray(to)]);
}

/** Writes eight bytes as a length would be written: small, huge, or off by a little. */
function replaceWord64(stream: RandomStream, input: Uint8Array): Uint8Array {
  if (input.length < 8) return input;
  const changed = input.slice();
  const at = stream.int(2) === 0 ? 0 : stream.int(changed.length - 7);
  const view = new DataView(changed.buffer);
  const near = view.getBigUint64(at, true) + BigInt(stream.int(33) - 16);
  const powers = 1n << BigInt(stream.int(64));
  view.setBigUint64(at, BigInt.asUintN(64, stream.pick([near, powers, powers - 1n, ~0n])), true);
  return changed;
}

/** Repeats a short piece many times: deep nesting, long lists, long names. */
function repeatPiece(stream: RandomStream, input: Uint8Array): Uint8Array {
  const [from, to] = range(stream, input);
  const piece = input.subarray(from, Math.min(to, from + 1 + stream.int(6)));
  const times = 1 << stream.int(11);
  return insert(input, from, joined(Array.from({ length: times }, () => piece)));
}
